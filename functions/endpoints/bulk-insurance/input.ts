import * as T from 'typebox';
import { AnswerableDate, registrations } from '../../../core/vehicles/schemas.ts';
import { readsInput } from '../../http/input.ts';

const body = T.Object(
  { registrations, date: T.Optional(AnswerableDate) },
  { title: 'BulkRequest', additionalProperties: false },
);

export const input = readsInput({ body });

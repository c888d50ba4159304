import * as T from 'typebox';
import { AnswerableDate, registrations } from '../../../core/vehicles/schemas.ts';
import { defineInput } from '../../http/input.ts';

const body = T.Object(
  { registrations, date: T.Optional(AnswerableDate) },
  { title: 'BulkRequest', additionalProperties: false },
);

export const input = defineInput({ body });

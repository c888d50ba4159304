import * as T from 'typebox';
import { registrations } from '../../../core/vehicles/schemas.ts';
import { readsInput } from '../../http/input.ts';

const body = T.Object({ registrations }, { title: 'BulkComplianceRequest', additionalProperties: false });

export const input = readsInput({ body });

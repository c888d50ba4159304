import * as T from 'typebox';
import { registrations } from '../../../core/vehicles/schemas.ts';
import { defineInput } from '../../http/input.ts';

const body = T.Object({ registrations }, { title: 'BulkComplianceRequest', additionalProperties: false });

export const input = defineInput({ body });

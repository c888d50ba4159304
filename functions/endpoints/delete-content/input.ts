import { PreconditionHeaders } from '../../../core/content/schemas.ts';
import { defineInput } from '../../http/input.ts';

export const input = defineInput({ headers: PreconditionHeaders });

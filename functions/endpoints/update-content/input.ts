import { PreconditionHeaders, UpdateContent } from '../../../core/content/schemas.ts';
import { defineInput } from '../../http/input.ts';

export const input = defineInput({ headers: PreconditionHeaders, body: UpdateContent });

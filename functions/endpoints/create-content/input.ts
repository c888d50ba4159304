import { CreateContent, IdempotencyKeyHeaders } from '../../../core/content/schemas.ts';
import { defineInput } from '../../http/input.ts';

export const input = defineInput({ headers: IdempotencyKeyHeaders, body: CreateContent });

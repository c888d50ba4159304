import { CreateContent, IdempotencyKeyHeaders } from '../../../core/content/schemas.ts';
import { readsInput } from '../../http/input.ts';

export const input = readsInput({ headers: IdempotencyKeyHeaders, body: CreateContent });

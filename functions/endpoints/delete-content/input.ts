import { IfMatchHeaders } from '../../../core/content/schemas.ts';
import { readsInput } from '../../http/input.ts';

export const input = readsInput({ headers: IfMatchHeaders });

import { join } from 'node:path';

/** Where what takes long to make is kept between runs. */
export const CACHE = join(import.meta.dirname, '../../node_modules/.cache');

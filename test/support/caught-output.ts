export { catchOutput } from './use-api.ts';

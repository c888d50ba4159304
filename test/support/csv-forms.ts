export { AMBIGUOUS_HEADERS, CSV_FORMS } from './import-files.ts';

import { prefixedTableNames } from '../../functions/tables.ts';

/** The tables that the stub answers for. */
export const STUB_TABLES = prefixedTableNames('stub-');

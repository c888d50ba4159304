import { describe } from '@jest/globals';
import { usesStockClient } from '../../core/runtime/environment.ts';

/** For tests of the parts of the client that `DYNAMODB_CLIENT=sdk` replaces; skipped there. */
export const describeOwnClient = usesStockClient() ? describe.skip : describe;

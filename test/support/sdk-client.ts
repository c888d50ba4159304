import { describe } from '@jest/globals';
import { usesSdkClient } from '../../core/runtime/environment.ts';

/** For tests of the parts of the client that `DYNAMODB_CLIENT=sdk` replaces; skipped there. */
export const describeOwnClient = usesSdkClient() ? describe.skip : describe;

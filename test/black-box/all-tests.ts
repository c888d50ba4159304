import type { HttpCaller } from '../support/http-caller.ts';
import { accessTests } from './access-tests.ts';
import { bulkTests } from './bulk-tests.ts';
import { contentTests } from './content-tests.ts';
import { exampleTests } from './example-tests.ts';
import { vehicleTests } from './vehicles-tests.ts';

/**
 * Everything that must hold wherever the service runs: on this machine, in an emulator, in containers, on AWS. `api` is
 * read when a test runs, after `prepareTarget` has prepared the target.
 */
export const blackBoxTests = (api: () => HttpCaller): void => {
  exampleTests(api);
  vehicleTests(api);
  bulkTests(api);
  contentTests(api);
  accessTests(api);
};

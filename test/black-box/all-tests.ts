import { accessTests } from './access-tests.ts';
import { contentTests } from './content-tests.ts';
import type { HttpCaller } from './http-caller.ts';
import { vehicleTests } from './vehicle-tests.ts';

/**
 * Everything that must hold wherever the service runs: on this machine, in an emulator, in containers, on AWS. `api` is
 * read when a test runs, after `prepareTarget` has prepared the target.
 */
export const blackBoxTests = (api: () => HttpCaller): void => {
  vehicleTests(api);
  contentTests(api);
  accessTests(api);
};

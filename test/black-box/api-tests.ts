import { accessTests } from './access.ts';
import type { Api } from './api.ts';
import { bulkTests } from './bulk.ts';
import { contentTests } from './content.ts';
import { vehicleTests } from './vehicles.ts';

/**
 * Everything that must hold wherever the service runs: on this machine, in an emulator, in containers, on AWS. `api` is
 * read when a test runs, after `prepareTarget` has prepared the target.
 */
export const apiTests = (api: () => Api): void => {
  vehicleTests(api);
  bulkTests(api);
  contentTests(api);
  accessTests(api);
};

import { accessChecks } from './access-checks.ts';
import { bulkChecks } from './bulk-checks.ts';
import type { Check } from './check.ts';
import { contentChecks } from './content-checks.ts';
import { vehicleChecks } from './vehicle-checks.ts';

/** Everything that must hold wherever the service runs, on a target that `prepareTarget` has prepared. */
export const checks: readonly Check[] = [...vehicleChecks, ...bulkChecks, ...contentChecks, ...accessChecks];

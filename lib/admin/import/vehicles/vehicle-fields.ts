import type { Policy } from '../../../../functions/vehicles/record.ts';
import type { FieldChecks } from '../records/field-checks.ts';
import type { FieldRules } from '../records/read-fields.ts';

/** The year of a vehicle has limits that no schema can give: the latest depends on the present day. */
export const yearRule = (check: FieldChecks, now: Date): FieldRules => ({
  year: (name, value) => check.year(name, value, now),
});

/** The two dates of a policy must be in order; `nameOf` gives the names of its fields in the file. */
export const checkCover = (check: FieldChecks, policy: Policy, nameOf: (field: string) => string): void => {
  if (policy.validFrom && policy.validTo && policy.validTo < policy.validFrom) {
    check.issue(nameOf('validTo'), `must not be before ${nameOf('validFrom')}`);
  }
};

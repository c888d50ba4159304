import { MAX_POLICIES, type Policy, type VehicleDetails } from '../../../../functions/vehicles/record.ts';
import type { FieldChecks } from '../records/field-checks.ts';

/** What a form of file calls a field, for the sentences about it. */
export type Naming = (field: string) => string;

export const TOO_MANY_POLICIES = `a vehicle has at most ${MAX_POLICIES} policies`;

export const readDetails = (
  check: FieldChecks,
  { make, model, year, color }: Readonly<Record<string, unknown>>,
  named: Naming,
  now: Date,
): VehicleDetails => ({
  make: check.text(named('make'), make),
  model: check.text(named('model'), model),
  year: check.year(named('year'), year, now),
  color: check.text(named('color'), color),
});

export const readPolicy = (
  check: FieldChecks,
  { number, insurer, validFrom, validTo, type }: Readonly<Record<string, unknown>>,
  named: Naming,
): Policy => {
  const policy = {
    number: check.text(named('number'), number),
    insurer: check.text(named('insurer'), insurer),
    validFrom: check.day(named('validFrom'), validFrom),
    validTo: check.day(named('validTo'), validTo),
    type: check.text(named('type'), type),
  };
  if (policy.validFrom && policy.validTo && policy.validTo < policy.validFrom) {
    check.issue(named('validTo'), `must not be before ${named('validFrom')}`);
  }
  return policy;
};

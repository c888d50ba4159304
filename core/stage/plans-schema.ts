/** The plans that a person writes: the setting of a stage, or `PLANS` on this machine. */
import * as T from 'typebox';
import { MAX_BULK_SIZE, type Plans, plansFrom } from '../access/plans.ts';
import { validationIssues } from '../schemas/validation-issues.ts';

/** Ten plans take up to 2 of the 4 kB that the environment variables of a function may have. */
const MAX_PLANS = 10;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

const Units = T.Integer({ minimum: 1, maximum: 1_000_000_000_000 });

const limits = {
  requestsPerWindow: T.Integer({ minimum: 1, maximum: 1_000_000 }),
  bulkSize: T.Integer({ minimum: 1, maximum: MAX_BULK_SIZE }),
  unitsPerDay: T.Optional(Units),
  unitsPerMonth: T.Optional(Units),
};

/** A misspelt allowance is refused: without one a leaked key can copy everything. */
const Plan = T.Refine(
  T.Object(limits),
  (plan) => Object.keys(plan).every((name) => Object.hasOwn(limits, name)),
  () => `must have no settings but ${Object.keys(limits).join(', ')}`,
);

export const PlansSetting = T.Refine(
  T.Record(T.String(), Plan),
  (plans) => {
    const names = Object.keys(plans);
    return names.length >= 1 && names.length <= MAX_PLANS && names.every((name) => NAME.test(name));
  },
  () =>
    `must be 1 to ${MAX_PLANS} plans, with names of 1 to 32 letters, digits, _ and -, beginning with a letter or digit`,
);

const parsePlans = (json: string | undefined): Plans => {
  try {
    return plansFrom(json);
  } catch (error) {
    throw new Error('PLANS is not valid JSON', { cause: error });
  }
};

/** The plans of the variable `PLANS` of this machine. @throws Error whose message says all that is wrong with it */
export const readPlans = (json: string | undefined): Plans => {
  const plans = parsePlans(json);
  const issues = validationIssues(PlansSetting, plans);
  if (issues.length === 0) return plans;
  throw new Error(issues.map(({ pointer, detail }) => `PLANS${pointer.replaceAll('/', '.')} ${detail}`).join('; '));
};

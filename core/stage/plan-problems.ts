/** The validation of plans that a person wrote: the setting of a stage, or `PLANS` on this machine. */
import { MAX_BULK_SIZE, type Plans, plansFrom } from '../access/plans.ts';

/** Ten plans fit into an output of CloudFormation, which has at most 1,024 characters. */
const MAX_PLANS = 10;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const FIGURES: Readonly<Record<string, number>> = { requestsPerWindow: 1_000_000, bulkSize: MAX_BULK_SIZE };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const figureProblems = (plan: string, figures: unknown): string[] => {
  if (!isRecord(figures)) return [`${plan} must be an object with ${Object.keys(FIGURES).join(' and ')}`];
  const wrong = Object.entries(FIGURES).filter(([name, most]) => {
    const value = figures[name];
    return !(Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most);
  });
  return [
    ...wrong.map(([name, most]) => `${plan}.${name} must be a whole number from 1 to ${most.toLocaleString('en-GB')}`),
    ...Object.keys(figures).flatMap((name) =>
      Object.hasOwn(FIGURES, name) ? [] : [`${plan}.${name} is not a setting`],
    ),
  ];
};

/** Every problem of plans, as phrases that begin with the field; empty when they are valid. */
export const planProblems = (plans: unknown, field: string): string[] => {
  if (!isRecord(plans)) return [`${field} must be an object with the figures of each plan`];
  const names = Object.keys(plans);
  return [
    ...(names.length < 1 || names.length > MAX_PLANS ? [`${field} must have 1 to ${MAX_PLANS} plans`] : []),
    ...names.flatMap((name) => [
      ...(NAME.test(name)
        ? []
        : [`${field}.${name} must have a name of 1 to 32 letters, digits, _ and -, beginning with a letter or digit`]),
      ...figureProblems(`${field}.${name}`, plans[name]),
    ]),
  ];
};

/** The plans of the variable `PLANS` of this machine, or what is wrong with it. */
export const readPlans = (
  json: string | undefined,
): { readonly plans: Plans } | { readonly problems: readonly string[] } => {
  try {
    const plans = plansFrom(json);
    const problems = planProblems(plans, 'PLANS');
    return problems.length > 0 ? { problems } : { plans };
  } catch {
    return { problems: ['PLANS is not valid JSON'] };
  }
};

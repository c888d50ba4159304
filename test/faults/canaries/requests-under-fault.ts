/** A request to every endpoint while the database fails in one way, once and lasting. */
import type { TestApi } from '../../support/api.ts';
import { always, type ChooseFault, onNthCall } from '../../support/fault-choosers.ts';
import type { Kind } from '../matrix/fault-kinds.ts';
import { applies, everywhere, type InjectionPoint } from '../matrix/injection-points.ts';
import { makePlans, type Plan } from '../matrix/plans.ts';
import { ownerOf, prepareRound, type Round, roundsOf } from '../matrix/rounds.ts';

const isAdmission = ({ tables }: InjectionPoint): boolean => tables.some((id) => id === 'keys' || id === 'usage');

/** What an endpoint does for itself, once its caller is admitted. */
const ownPoints = ({ points }: Plan): InjectionPoint[] => points.filter((point) => !isAdmission(point));

const sendRound = async (
  api: TestApi,
  round: Round,
  wordFor: () => string,
  chooser: () => ChooseFault,
): Promise<void> => {
  const injected = await prepareRound(api, round, wordFor);
  const chosen = new Map(injected.map((target) => [target, chooser()]));
  api.faults.reset();
  api.faults.inject((call) => {
    const owner = ownerOf(injected, call);
    return owner?.point.includes(call) ? chosen.get(owner)?.(call) : undefined;
  });
  await Promise.all(injected.map(({ request }) => request.send()));
  api.faults.reset();
};

/**
 * Once at the last database operation of each endpoint, lasting everywhere and at the first.
 * @param everyPlace at each operation instead, once and lasting, and lasting everywhere
 */
export const sendUnderFault = async (
  api: TestApi,
  { fault }: Kind,
  wordFor: () => string,
  everyPlace: boolean,
): Promise<void> => {
  const plans = await makePlans(api, wordFor);
  const roundsAt = (injectionPoints: (plan: Plan) => readonly InjectionPoint[]): Round[] => {
    const targets = plans.flatMap((plan) =>
      injectionPoints(plan)
        .filter((point) => applies(fault, point))
        .map((point) => ({
          scenario: plan.scenario,
          point,
          expected: (status: number) => ({ status, knowsCaller: true }),
        })),
    );
    return roundsOf(targets, false);
  };
  const once = (plan: Plan) => (everyPlace ? plan.points : ownPoints(plan).slice(-1));
  const lasting = (plan: Plan) => (everyPlace ? plan.points : ownPoints(plan).slice(0, 1));
  for (const round of roundsAt(once)) await sendRound(api, round, wordFor, () => onNthCall(1, fault));
  for (const round of roundsAt((plan) => [everywhere(plan.points), ...lasting(plan)])) {
    await sendRound(api, round, wordFor, () => always(fault));
  }
};

/** A request to every endpoint while the database fails in one way, once and lasting. */
import type { TestApi } from '../../support/api.ts';
import { always, type ChooseFault, onNthCall } from '../../support/fault-choosers.ts';
import type { Kind } from '../matrix/kinds.ts';
import { everywhere, type Place, strikes } from '../matrix/places.ts';
import { makePlans, type Plan } from '../matrix/plan.ts';
import { ownerOf, prepareRound, type Round, roundsOf } from '../matrix/rounds.ts';

const isAdmission = ({ tables }: Place): boolean => tables.some((id) => id === 'keys' || id === 'usage');

/** What an endpoint does for itself, once its caller is admitted. */
const ownPlaces = ({ places }: Plan): Place[] => places.filter((place) => !isAdmission(place));

const sendRound = async (
  api: TestApi,
  round: Round,
  wordFor: () => string,
  chooser: () => ChooseFault,
): Promise<void> => {
  const struck = await prepareRound(api, round, wordFor);
  const chosen = new Map(struck.map((target) => [target, chooser()]));
  api.faults.reset();
  api.faults.inject((call) => {
    const owner = ownerOf(struck, call);
    return owner?.place.includes(call) ? chosen.get(owner)?.(call) : undefined;
  });
  await Promise.all(struck.map(({ trial }) => trial.send()));
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
  const roundsAt = (placesOf: (plan: Plan) => readonly Place[]): Round[] => {
    const targets = plans.flatMap((plan) =>
      placesOf(plan)
        .filter((place) => strikes(fault, place))
        .map((place) => ({
          scenario: plan.scenario,
          place,
          promised: (status: number) => ({ status, knowsCaller: true }),
        })),
    );
    return roundsOf(targets, false);
  };
  const once = (plan: Plan) => (everyPlace ? plan.places : ownPlaces(plan).slice(-1));
  const lasting = (plan: Plan) => (everyPlace ? plan.places : ownPlaces(plan).slice(0, 1));
  for (const round of roundsAt(once)) await sendRound(api, round, wordFor, () => onNthCall(1, fault));
  for (const round of roundsAt((plan) => [everywhere(plan.places), ...lasting(plan)])) {
    await sendRound(api, round, wordFor, () => always(fault));
  }
};

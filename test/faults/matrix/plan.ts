import type { TestApi } from '../../support/api.ts';
import { type Place, placesOf } from './places.ts';
import { newWord } from './rounds.ts';
import { scenarios } from './scenarios.ts';
import type { Scenario } from './trial.ts';

/** A scenario and the places where faults can strike it, as a run without faults has shown them. */
export interface Plan {
  readonly scenario: Scenario;
  readonly places: readonly Place[];
}

const planOf = async (api: TestApi, scenario: Scenario, word: string): Promise<Plan> => {
  const trial = await scenario.prepare(api, word);
  api.faults.reset();
  const reply = await trial.send();
  if (reply.status !== trial.status) throw new Error(`${scenario.name} without a fault: ${reply.status} ${reply.text}`);
  trial.requirePromised(reply);
  return { scenario, places: placesOf(api.engine.names, api.faults.calls) };
};

/** @throws Error when a scenario does not even work without a fault */
export const makePlans = async (api: TestApi, wordFor = newWord): Promise<Plan[]> => {
  const plans: Plan[] = [];
  for (const scenario of scenarios) plans.push(await planOf(api, scenario, wordFor()));
  return plans;
};

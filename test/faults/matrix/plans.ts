import type { TestApi } from '../../support/api.ts';
import { type InjectionPoint, injectionPoints } from './injection-points.ts';
import { newWord } from './rounds.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/** A scenario and the points where faults can strike it, as a run without faults has shown them. */
export interface Plan {
  readonly scenario: Scenario;
  readonly points: readonly InjectionPoint[];
}

const planOf = async (api: TestApi, scenario: Scenario, word: string): Promise<Plan> => {
  const request = await scenario.prepare(api, word);
  api.faults.reset();
  const reply = await request.send();
  if (reply.status !== request.status)
    throw new Error(`${scenario.name} without a fault: ${reply.status} ${reply.text}`);
  request.requireExpected(reply);
  return { scenario, points: injectionPoints(api.engine.names, api.faults.calls) };
};

/** @throws Error when a scenario does not even work without a fault */
export const makePlans = async (api: TestApi, wordFor = newWord): Promise<Plan[]> => {
  const plans: Plan[] = [];
  for (const scenario of scenarios) plans.push(await planOf(api, scenario, wordFor()));
  return plans;
};

import { randomInt } from 'node:crypto';
import { hashKey, keyIdOf } from '../../../functions/access/api-key.ts';
import type { TestApi } from '../../support/api.ts';
import type { DatabaseCall } from '../../support/fault-proxy.ts';
import type { Expected } from './expected.ts';
import type { InjectionPoint } from './injection-points.ts';
import type { PreparedRequest, Scenario } from './scenario.ts';

const WORD_LENGTH = 8;

/** A word that no other request has; never a hex number, so that it is nowhere by chance. */
export const newWord = (): string =>
  `z${randomInt(36 ** (WORD_LENGTH - 1))
    .toString(36)
    .padStart(WORD_LENGTH - 1, 'q')}`;

/** One cell to be: a scenario, the point that is injected for it, and what is expected then. */
export interface Target {
  readonly scenario: Scenario;
  readonly point: InjectionPoint;
  /** @param healthy the scenario's status without a fault */
  readonly expected: (healthy: number) => Expected;
}

/** Targets of different scenarios, so that they can be injected at the same time. */
export type Round = readonly Target[];

/**
 * Each scenario's last target in the first round, the one before in the second and so on, or each in a round of its own.
 * From the end, so that transactions, which are tried until the deadline, are waited for together.
 */
export const roundsOf = (targets: readonly Target[], isAlone: boolean): Round[] => {
  if (isAlone) return targets.map((target) => [target]);
  const queues = [...Map.groupBy(targets, ({ scenario }) => scenario).values()];
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, nth) => queues.flatMap((queue) => queue.at(-1 - nth) ?? []));
};

/** A target with the records and the request made for it. */
export interface InjectedFault extends Target {
  readonly request: PreparedRequest;
  /** Texts of which one stands in every database request made for it, but for those that name nobody. */
  readonly marks: readonly string[];
}

export const prepareRound = (api: TestApi, round: Round, wordFor = newWord): Promise<InjectedFault[]> =>
  Promise.all(
    round.map(async (target) => {
      const word = wordFor();
      const request = await target.scenario.prepare(api, word);
      const keyId = keyIdOf(hashKey(request.key));
      return { ...target, request, marks: [word, word.toUpperCase(), keyId, ...(request.ids ?? [])] };
    }),
  );

/** For whom a database request is made. Only a creation asks for a point in the list of all items, which names nobody. */
export const ownerOf = (injected: readonly InjectedFault[], { body }: DatabaseCall): InjectedFault | undefined =>
  injected.find(({ marks }) => marks.some((mark) => body.includes(mark))) ??
  injected.find(({ scenario }) => scenario.endpoint === 'create-content');

import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import { database } from '../../core/aws/database.ts';
import { readFinishedLoads } from '../../core/finished-loads.ts';
import { optionalVariable } from '../../core/runtime/environment.ts';
import { logFailure } from '../../core/runtime/log.ts';
import { type ExpectedSuppliers, type Sources, sourcesAt } from '../../core/sources.ts';
import type { HttpFunction } from './endpoint-definition.ts';
import type { HttpRequest } from './request.ts';
import { tableNamesOf } from './table-names.ts';

/** Milliseconds for which an instance uses what it has read. */
const MAX_AGE_MS = 60_000;

/** Reads the finished loads at most once a minute, also when the read fails. The result is undefined then. */
const loadsReader = (table: string) => {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Awaited<ReturnType<typeof readFinishedLoads>> | undefined> = Promise.resolve(undefined);
  return (now: Date, requestId: string) => {
    if (Math.abs(now.getTime() - readAt) >= MAX_AGE_MS) {
      readAt = now.getTime();
      reading = readFinishedLoads(database(), table).catch((error: unknown) => {
        logFailure(requestId, error);
        return undefined;
      });
    }
    return reading;
  };
};

interface SourcesContext {
  key: PresentedKey;
  caller: Caller;
  /** Undefined without an intake, for keys that see no policies, for the sandbox, and when nothing could be read. */
  findSources: () => Promise<Sources | undefined>;
}

/**
 * Finds how many suppliers are current, for an answer that says "not insured" or "unknown". What it reads is read while
 * `auth` counts the request, which saves a round trip. The response waits for that read, because Lambda freezes a
 * function that has responded.
 */
export const sources = (endpoint: Pick<HttpFunction, 'tables'>) => {
  const suppliers = optionalVariable('SUPPLIERS');
  const expected: ExpectedSuppliers | undefined = suppliers && JSON.parse(suppliers);
  const read = loadsReader(tableNamesOf(endpoint).usage);
  const settle = async ({ context }: HttpRequest<SourcesContext>): Promise<void> => {
    await context.findSources?.();
  };
  return {
    before: ({ context }: HttpRequest<SourcesContext>): void => {
      const { key, now, requestId, whileCounting } = context;
      let reading: ReturnType<typeof read> | undefined;
      if (expected !== undefined && key.kind === 'live') {
        whileCounting.push(() => {
          reading = read(now, requestId);
        });
      }
      context.findSources = async () => {
        const find = await reading;
        const scopes = context.caller?.key.scopes ?? [];
        const seesPolicies = scopes.includes('vehicles:read') || !scopes.includes('vehicles:status');
        return expected && find && seesPolicies ? sourcesAt(now, expected, find) : undefined;
      };
    },
    after: settle,
    onError: settle,
  };
};

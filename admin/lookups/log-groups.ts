/** Searches the log groups of a deployed stage with CloudWatch Logs Insights. */
import { setTimeout as pause } from 'node:timers/promises';
import { type AwsService, requestJson } from '../../core/aws/aws-json.ts';
import { type AnswerLetter, lookupHash, monthOf } from '../../core/lookup-log.ts';
import { CommandFailure } from '../command/command-result.ts';
import { type FoundLookup, MAX_DELAY_MS, type Search } from './found-lookup.ts';

/** Hashes in one query, whose text may have 10,000 characters. */
const HASHES_IN_QUERY = 400;
/** The most rows that a query returns. */
const MOST_ROWS = 10_000;
const POLL_MS = 500;

/** The months whose hashes lines of this time can have, each with the part of the time that is to be searched. */
const monthsOf = ({ from, end }: Search) => {
  const months: { readonly month: string; readonly start: number; readonly stop: number }[] = [];
  let next = new Date(from.getTime() - MAX_DELAY_MS);
  while (next < end) {
    const begin = Date.UTC(next.getUTCFullYear(), next.getUTCMonth());
    const after = Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1);
    const [start, stop] = [Math.max(begin, from.getTime()), Math.min(after + MAX_DELAY_MS, end.getTime())];
    months.push({ month: monthOf(next), start, stop });
    next = new Date(after);
  }
  return months;
};

const queryText = (hashes: readonly string[], reference: string | undefined): string =>
  [
    'fields @timestamp, keyId, requestId, endpoint, reference, asOf',
    `parse @message /(?<hash>${hashes.join('|')})(?<answer>[TFNU])/`,
    'filter answer like /[TFNU]/',
    ...(reference === undefined ? [] : [`filter reference = "${reference}"`]),
    'sort @timestamp asc',
    `limit ${MOST_ROWS}`,
  ].join(' | ');

interface QueryResults {
  readonly status: string;
  readonly results?: readonly (readonly { readonly field: string; readonly value: string }[])[];
  readonly statistics?: { readonly recordsScanned?: number };
}

export interface LogGroups {
  readonly logs: AwsService;
  readonly names: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of lines that the running query has read. */
  readonly onProgress: (lines: number) => void;
}

const runQuery = async ({ logs, names, signal, onProgress }: LogGroups, input: object) => {
  const { queryId } = await requestJson(logs, 'StartQuery', { logGroupNames: names, ...input });
  try {
    for (;;) {
      const answer = (await requestJson(logs, 'GetQueryResults', { queryId })) as unknown as QueryResults;
      const { status, results = [], statistics } = answer;
      onProgress(statistics?.recordsScanned ?? 0);
      if (status === 'Complete') return results.map((row) => new Map(row.map(({ field, value }) => [field, value])));
      if (!['Scheduled', 'Running', 'Unknown'].includes(status)) {
        throw new CommandFailure(`CloudWatch did not complete a query (${status}): try again, or with fewer days`);
      }
      await pause(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) await requestJson(logs, 'StopQuery', { queryId }).catch(() => undefined);
    throw error;
  }
};

/** @param keyIds of every key, because a hash contains one */
export const searchLogGroups = async (
  groups: LogGroups,
  search: Search,
  keyIds: readonly string[],
): Promise<FoundLookup[]> => {
  const found: FoundLookup[] = [];
  for (const { month, start, stop } of monthsOf(search)) {
    const secret = await search.secretOf(month);
    const hashes = new Map(keyIds.map((keyId) => [lookupHash(secret, keyId, search.registration), keyId]));
    for (let at = 0; at < hashes.size; at += HASHES_IN_QUERY) {
      const some = [...hashes.keys()].slice(at, at + HASHES_IN_QUERY);
      const input = {
        // Whole seconds, the last one included: lines after the end are left out below.
        startTime: Math.floor(start / 1_000),
        endTime: Math.ceil(stop / 1_000),
        queryString: queryText(some, search.reference),
      };
      const rows = await runQuery(groups, input);
      if (rows.length === MOST_ROWS) {
        throw new CommandFailure(`${month} has more lookups than CloudWatch returns: search fewer days at once`);
      }
      for (const row of rows) {
        const time = `${row.get('@timestamp')?.replace(' ', 'T')}Z`;
        const keyId = hashes.get(row.get('hash') ?? '');
        if (keyId === undefined || !(new Date(time) < search.end)) continue;
        found.push({
          time,
          keyId,
          answer: row.get('answer') as AnswerLetter,
          endpoint: row.get('endpoint') ?? '',
          requestId: row.get('requestId') ?? '',
          reference: row.get('reference') || undefined,
          asOf: row.get('asOf') || undefined,
        });
      }
    }
  }
  return found;
};

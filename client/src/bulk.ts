import { MAX_BULK_SIZE } from '../../core/access/plans.ts';
import type { UsageReport } from './api-types.ts';
import { isProblem, requireArgument } from './errors.ts';
import type { ApiRequest, CallOptions, Transport } from './transport.ts';

interface BulkOptions extends CallOptions {
  readonly path: string;
  /** The name of the field with the verdict of an entry. */
  readonly verdict: 'insured' | 'compliant';
  readonly date?: string | undefined;
  readonly headers?: ApiRequest['headers'];
}

/** An answer, or an entry of a bulk answer without one. */
interface BulkEntry {
  readonly registration: string;
  readonly insured?: boolean;
  readonly compliant?: boolean;
  readonly code?: string;
}

/**
 * The bulk size of the smallest default plan. For a list that is not longer, the limit of the plan is not requested.
 */
const SMALLEST_BULK_SIZE = 100;

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';

const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);

/** Whether a value is an object whose fields pass these tests. A faulty service may omit a field. */
const hasFields =
  (tests: Readonly<Record<string, Test>>): Test =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.entries(tests).every(([name, test]) => fields[name] === undefined || test(fields[name]));
  };

const isTextOrNull = orNull(isText);

/** The types of the fields that the client reads. */
const isOfTypes = hasFields({
  code: (value) => isText(value) && /^[A-Z\d_]+$/.test(`${value}`),
  error: isText,
  suggestion: isText,
  status: isText,
  policy: orNull(hasFields({ number: isText, insurer: isText, type: isText, validFrom: isText, validTo: isText })),
  reasons: (value) => Array.isArray(value) && value.every(isText),
  details: hasFields({
    insurance: hasFields({ validTo: isTextOrNull }),
    mot: hasFields({ dueDate: isTextOrNull }),
    roadTax: hasFields({ paidUntil: isTextOrNull }),
    fines: hasFields({ outstanding: orNull((value) => typeof value === 'number') }),
  }),
});

export const NO_ANSWER = 'The response is no answer for this registration and day.';

/** Whether this is an answer for the registration, or an entry that says why there is none. */
export const isAnswer = (
  answer: BulkEntry | null | undefined,
  registration: string | undefined,
  verdict: BulkOptions['verdict'],
): boolean => answer?.registration === registration && typeof answer?.[verdict] === 'boolean' && isOfTypes(answer);

/** Runs a task for each item, `concurrency` at a time. The first error aborts the others. */
const forEachConcurrently = async <Item>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal | undefined,
  task: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await task(item, either);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  } finally {
    stop.abort();
  }
};

export const openBulk = ({ request, backOff, attempts, concurrency }: Transport) => {
  let size: number | undefined;

  const usage = async ({ signal }: CallOptions = {}): Promise<UsageReport> => {
    const report = await request<UsageReport>({ path: '/usage', signal });
    const allowed = report?.limits?.registrationsPerBulk;
    // Without a size of at least 1, a list would be split for ever.
    if (!(allowed >= 1)) throw new Error('The response is not the usage of a key with its limits.');
    size = Math.min(Math.floor(allowed), MAX_BULK_SIZE);
    return report;
  };

  const sizeFor = async (count: number, signal: AbortSignal | undefined): Promise<number> => {
    if (size === undefined && count > SMALLEST_BULK_SIZE) await usage({ signal });
    return size ?? SMALLEST_BULK_SIZE;
  };

  /** Sends one request, or two of half the size when the plan's limit has become smaller. */
  const ask = async <Result extends BulkEntry>(asked: readonly string[], options: BulkOptions): Promise<Result[]> => {
    const { path, verdict, date, headers, signal } = options;
    try {
      const body = { registrations: asked, ...(date !== undefined && { date }) };
      type Answer = { readonly results?: Result[]; readonly asOf?: string } | null;
      const answer = await request<Answer>({ method: 'POST', path, headers, body, signal });
      const results = answer?.results;
      if (!Array.isArray(results) || results.length !== asked.length) {
        throw new Error('The response is for registrations other than those requested.');
      }
      const isForDay = answer?.asOf === date;
      return results.map((entry, index) => {
        if (isForDay && isAnswer(entry, asked[index], verdict)) return entry;
        const noAnswer = { [verdict]: false, error: NO_ANSWER, code: 'INVALID_ANSWER' };
        return { registration: asked[index], ...noAnswer } as BulkEntry as Result;
      });
    } catch (error) {
      if (!isProblem(error, 'BULK_TOO_LARGE') || asked.length === 1) throw error;
      size = Math.ceil(asked.length / 2);
      const first = asked.slice(0, size);
      const second = asked.slice(size);
      return [...(await ask<Result>(first, options)), ...(await ask<Result>(second, options))];
    }
  };

  /** One result per registration, in order. `LOOKUP_UNAVAILABLE` is retried. */
  const lookUp = async <Result extends BulkEntry>(
    registrations: readonly string[],
    options: BulkOptions,
  ): Promise<Result[]> => {
    const { signal } = options;
    const isList = Array.isArray(registrations) && registrations.every((each) => typeof each === 'string');
    requireArgument(isList, "The registrations must be an array of texts, such as ['AB12 CDE'].");
    const results: Result[] = [];
    let pending = [...registrations.keys()];
    for (let attempt = 1; pending.length > 0; attempt += 1) {
      const bulkSize = await sizeFor(pending.length, signal);
      const chunks: number[][] = [];
      for (let start = 0; start < pending.length; start += bulkSize)
        chunks.push(pending.slice(start, start + bulkSize));
      await forEachConcurrently(chunks, concurrency, signal, async (chunk, either) => {
        const asked = chunk.map((index) => registrations[index] ?? '');
        const answers = await ask<Result>(asked, { ...options, signal: either });
        for (const [at, answer] of answers.entries()) results[chunk[at] ?? -1] = answer;
      });
      pending = pending.filter((index) => results[index]?.code === 'LOOKUP_UNAVAILABLE');
      if (attempt >= attempts) break;
      if (pending.length > 0) await backOff(attempt, signal);
    }
    return results;
  };

  return { usage, lookUp };
};

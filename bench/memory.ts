/**
 * Every function with the processor time of several sizes of memory: cold starts, warm invocations and what they cost.
 * `MEMORY_SIZES='512 1024'` and `MEMORY_KINDS='usage not-found'` measure some.
 */
import { lambdaCost } from './cost.ts';
import { cpuShareOf } from './cpu-share.ts';
import type { Block, Loaded } from './function-process.ts';
import { type Functions, latencies, withFunctions } from './functions.ts';
import { mean, median, percentile, showProgress, table } from './report.ts';
import { DATABASE_MS, type KindOfRequest, type PreparedRequests, withRequests } from './requests.ts';

const SIZES = (process.env.MEMORY_SIZES ?? '512 1024 1280 1769').split(' ').map(Number);
const KINDS = process.env.MEMORY_KINDS?.split(' ');
/** Of each of the two sorts. */
const COLD_STARTS = 7;
/** On a whole core, until V8 is done compiling. */
const WARM_UP = 400;
/** Until what the function has not used of its share before is used up. */
const SETTLED = 40;
const INVOCATIONS = 400;
const PER_SIZE = 2 * COLD_STARTS + WARM_UP + SETTLED + INVOCATIONS;

const coldMs = ({ importMs }: Loaded, { invocations: [first] }: Block): number => importMs + (first?.ms ?? Number.NaN);

/** Import and first response; with `fromStart` the import has only the share too. */
const measureColdStart = async (
  file: string,
  event: object,
  { status }: KindOfRequest,
  { start }: Functions,
  env: NodeJS.ProcessEnv,
  { megabytes, fromStart }: { readonly megabytes: number; readonly fromStart: boolean },
): Promise<number> => {
  const share = await cpuShareOf(megabytes);
  const process = await start(file, env, fromStart ? share : undefined);
  await share.add(process.loaded.pid);
  const first = await process.invoke([event], { status });
  await process.end();
  await share.remove();
  return coldMs(process.loaded, first);
};

const measureSize = async (
  kind: KindOfRequest,
  { bundles, overTls }: PreparedRequests,
  functions: Functions,
  megabytes: number,
  firstEvent: number,
) => {
  const file = bundles[kind.endpoint];
  const events = Array.from({ length: PER_SIZE }, (_, nth) => kind.event(firstEvent + nth));
  const next = (count: number): readonly object[] => events.splice(0, count);
  const cold = async (fromStart: boolean): Promise<number> => {
    const times = [];
    for (const event of next(COLD_STARTS)) {
      times.push(await measureColdStart(file, event, kind, functions, overTls, { megabytes, fromStart }));
    }
    return median(times);
  };
  const coldStarts = [await cold(false), await cold(true)];
  const share = await cpuShareOf(megabytes);
  const process = await functions.start(file, overTls);
  const invoke = (count: number): Promise<Block> => process.invoke(next(count), { status: kind.status });
  await invoke(WARM_UP);
  await share.add(process.loaded.pid);
  await invoke(SETTLED);
  const times = latencies([await invoke(INVOCATIONS)]);
  await process.end();
  await share.remove();
  const billedMs = mean(times.map(Math.ceil));
  return [
    megabytes,
    ...coldStarts.map((ms) => Math.round(ms)),
    ...[median(times), percentile(times, 0.99), billedMs].map((ms) => ms.toFixed(1)),
    lambdaCost(billedMs, megabytes).toFixed(2),
  ];
};

const HEAD = [
  'request',
  'memory MB',
  'cold start ms, whole core for the import',
  'cold start ms, share from the start',
  'p50 ms',
  'p99 ms',
  'billed ms',
  'Lambda, USD per million',
];

const measure = (): Promise<readonly string[]> =>
  withFunctions((functions) =>
    withRequests(functions, SIZES.length * PER_SIZE, async (prepared) => {
      await prepared.setPace(true);
      const kinds = prepared.kinds.filter(({ endpoint }) => !KINDS || KINDS.includes(endpoint));
      const rows = [];
      for (const kind of kinds) {
        for (const [index, megabytes] of SIZES.entries()) {
          showProgress(rows.length, kinds.length * SIZES.length, `${kind.name}, ${megabytes} MB`);
          rows.push([kind.name, ...(await measureSize(kind, prepared, functions, megabytes, index * PER_SIZE))]);
        }
      }
      return [
        [
          'The deployed bundles over TLS, logs and metrics on, in a control group of Linux whose share of a core is that of the memory (memory /',
          `1,769 MB, of every 20 ms), ${DATABASE_MS} ms for every database request. Cold: import of the bundle and first response, median of ${COLD_STARTS}.`,
          `Warm: ${INVOCATIONS} invocations, one at a time, after ${WARM_UP} on a whole core.`,
        ].join('\n'),
        table(HEAD, rows),
      ];
    }),
  );
export default measure;

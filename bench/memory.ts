/**
 * Every function with the processor time of several sizes of memory: cold starts, warm invocations and what they cost.
 * `MEMORY_SIZES='512 1024'` and `MEMORY_KINDS='usage not-found'` measure some.
 */
import { lambdaCost } from './cost.ts';
import { cpuShareOf } from './cpu-share.ts';
import { median, percentile, showProgress, table } from './report.ts';
import { DATABASE_MS, type KindOfRequest, prepareRequests, WARM_EVENTS, WARM_METHOD } from './requests.ts';

const SIZES = (process.env.MEMORY_SIZES ?? '512 1024 1280 1769').split(' ').map(Number);
const KINDS = process.env.MEMORY_KINDS?.split(' ');
/** Of each of the two sorts. */
const COLD_STARTS = 7;
const PER_SIZE = 2 * COLD_STARTS + WARM_EVENTS;

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

const measure = async (): Promise<readonly string[]> => {
  const { kinds, setDelay, start, measureWarm } = await prepareRequests(SIZES.length * PER_SIZE);
  await setDelay(DATABASE_MS);

  /** Import and first response; with `fromStart` the import has only the share too. */
  const coldMs = async (kind: KindOfRequest, megabytes: number, event: object, fromStart: boolean): Promise<number> => {
    const share = await cpuShareOf(megabytes);
    const process = await start(kind.endpoint, fromStart ? share.procs : undefined);
    await share.add(process.loaded.pid);
    const { invocations } = await process.invoke([event], kind.status);
    await process.end();
    await share.remove();
    return process.loaded.importMs + (invocations[0]?.ms ?? Number.NaN);
  };

  const measureSize = async (kind: KindOfRequest, megabytes: number, firstEvent: number) => {
    const events = Array.from({ length: PER_SIZE }, (_, nth) => kind.event(firstEvent + nth));
    const coldStarts: number[] = [];
    for (const fromStart of [false, true]) {
      const times: number[] = [];
      for (const event of events.splice(0, COLD_STARTS)) times.push(await coldMs(kind, megabytes, event, fromStart));
      coldStarts.push(Math.round(median(times)));
    }
    const { invocations, billedMs } = await measureWarm(kind, megabytes, events);
    const times = invocations.map(({ ms }) => ms);
    return [
      megabytes,
      ...coldStarts,
      ...[median(times), percentile(times, 0.99), billedMs].map((ms) => ms.toFixed(1)),
      lambdaCost(billedMs, megabytes).toFixed(2),
    ];
  };

  const chosen = kinds.filter(({ endpoint }) => !KINDS || KINDS.includes(endpoint));
  const rows: (string | number)[][] = [];
  for (const kind of chosen) {
    for (const [index, megabytes] of SIZES.entries()) {
      showProgress(rows.length, chosen.length * SIZES.length, `${kind.name}, ${megabytes} MB`);
      rows.push([kind.name, ...(await measureSize(kind, megabytes, index * PER_SIZE))]);
    }
  }
  return [
    [
      'The deployed bundles over TLS, logs and metrics on, in a control group of Linux whose share of a core is that of the memory (memory /',
      `1,769 MB, of every 20 ms), ${DATABASE_MS} ms for every database request. Cold: import of the bundle and first response, median of ${COLD_STARTS}.`,
      WARM_METHOD,
    ].join('\n'),
    table(HEAD, rows),
  ];
};
export default measure;

import { generateKey } from '../../../functions/access/api-key.ts';
import { loadSampleContent } from '../../../lib/local/load-sample-data.ts';
import { SAMPLE_CONTENT } from '../../../lib/local/sample-content.ts';
import { sampleComplianceRecords } from '../../../lib/local/sample-records.ts';
import { forkProcess } from '../../support/forked-process.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';
import { exchange } from './exchange.ts';
import { type RequestKind, requestKinds } from './request-mix.ts';
import type { Memory } from './soaked-gateway.ts';

/** Premium keys that share the load, so that no plan's limit ends it: 6,000 a minute each. */
const KEYS = 4;

/** V8 doubles the space for new objects whenever it sees fit, which would look like growth: here it has its size at once. */
const YOUNG_GENERATION = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/** What came of a request. */
export interface Answered {
  readonly kind: RequestKind;
  /** Its status, or why there was none. */
  readonly outcome: string;
}

/** Engine and gateway, each in a process of its own, with the sample data; logs and metrics are written as in production. */
export const startSoakedApi = async () => {
  const { db, names, newKey, close } = await prepareEngine();
  const now = new Date();
  await loadSampleContent(db, names, now);
  const keys = await Promise.all(Array.from({ length: KEYS }, async () => (await newKey()).key));
  const gateway = await forkProcess(new URL('./soaked-gateway.ts', import.meta.url), {
    environment: { POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_NAMESPACE: 'Soak' },
    nodeOptions: ['--expose-gc', ...YOUNG_GENERATION],
    silent: true,
  });

  const send = async (kind: RequestKind, nth: number): Promise<Answered> => {
    const { method, path, key = keys[nth % KEYS] ?? '', body } = kind.make();
    const headers = { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    try {
      const answer = await exchange(`${String(gateway.said)}${path}`, method, headers, body);
      if (answer.status === kind.status) kind.learn?.(answer.body);
      return { kind, outcome: String(answer.status) };
    } catch (error) {
      return { kind, outcome: `no answer: ${(error as NodeJS.ErrnoException).code}` };
    }
  };

  return {
    kinds: requestKinds({
      registrations: sampleComplianceRecords(now).map(({ registration }) => registration),
      lasting: SAMPLE_CONTENT.flatMap(({ id }) => id ?? []),
      unknownKey: generateKey('test'),
    }),
    send,
    memory: async (): Promise<Memory> => (await gateway.ask('memory')) as Memory,
    stop: async (): Promise<void> => {
      await gateway.stop();
      close();
    },
  };
};

export type SoakedApi = Awaited<ReturnType<typeof startSoakedApi>>;

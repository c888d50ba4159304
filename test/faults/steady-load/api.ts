import { generateKey } from '../../../functions/access/api-key.ts';
import { SAMPLE_CONTENT } from '../../../lib/local/sample-content.ts';
import { loadSampleContent } from '../../../lib/local/sample-database.ts';
import { sampleComplianceRecords } from '../../../lib/local/sample-records.ts';
import { forkCall } from '../../support/fork.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';
import { exchange } from './exchange.ts';
import type { Memory } from './measured-gateway.ts';
import { type RequestKind, requestKinds } from './request-mix.ts';

/** Premium keys that share the load, so that no plan's limit ends it: 6,000 a minute each. */
const KEYS = 4;

/** A fixed size: V8 doubles the space for new objects at any time, which would look like growth. */
const YOUNG_GENERATION = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

export interface Answered {
  readonly kind: RequestKind;
  /** Its status, or why there was none. */
  readonly outcome: string;
}

/** Engine and gateway, each in a process of its own, with the sample data; logs and metrics are written as in production. */
export const startSteadyLoadApi = async () => {
  const { db, names, newKey, close } = await prepareEngine();
  const now = new Date();
  await loadSampleContent(db, names, now);
  const keys = await Promise.all(Array.from({ length: KEYS }, async () => (await newKey()).key));
  const gateway = await forkCall<{ readonly origin: string }>(
    new URL('./measured-gateway.ts', import.meta.url),
    'startMeasuredGateway',
    [],
    {
      environment: { POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_NAMESPACE: 'SteadyLoad' },
      nodeOptions: ['--expose-gc', ...YOUNG_GENERATION],
      output: 'ignore',
    },
  );

  const send = async (kind: RequestKind, nth: number): Promise<Answered> => {
    const { method, path, key = keys[nth % KEYS] ?? '', body } = kind.make();
    const headers = { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    try {
      const answer = await exchange(`${gateway.result.origin}${path}`, method, headers, body);
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
    memory: async (): Promise<Memory> => (await gateway.call('memory')) as Memory,
    stop: async (): Promise<void> => {
      await gateway.stop();
      close();
    },
  };
};

export type SteadyLoadApi = Awaited<ReturnType<typeof startSteadyLoadApi>>;

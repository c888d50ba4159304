import assert from 'node:assert/strict';
import { it } from '@jest/globals';
import { onNthCall } from '../support/fault-choosers.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { useApi } from '../support/use-api.ts';
import { TIMEOUT_MS } from './size.ts';

/** A machine that pauses for longer than the service waits for a response adds a fault. */
const MAX_REPEATS = 5;
/** Milliseconds: Lambda's 10 s less 1 s, and 0.5 s for the local gateway. */
const DEADLINE = 9_000 + 500;

const api = useApi(undefined, { environment: { SUPPLIERS: '{"acme":26}' } });

/** Longer than the service waits for a response (1 s), though the request is applied. */
const FAULTS: readonly Fault[] = [
  ...(['throttle', 'error', 'hang', 'resetBefore', 'resetAfter', 'errorAfter', 'truncate'] as const),
  { slowMs: 1_500 },
];

const attempt = async (fault: Fault, isLasting: boolean): Promise<void> => {
  const chosen = isLasting ? () => fault : onNthCall(1, fault);
  // An instance remembers what it has read for a minute.
  api.clock.now += 60_000;
  api.faults.inject((call) => (call.body.includes('"loads"') ? chosen(call) : undefined));
  const started = performance.now();
  const { status, body } = await api.call('GET', '/v1/vehicle/UNKNOWN1/insurance', { key: api.key });
  assert.ok(performance.now() - started <= DEADLINE);
  const { code, sources } = body as Record<string, unknown>;
  assert.deepEqual(
    [status, code, sources],
    [404, 'VEHICLE_NOT_FOUND', isLasting ? undefined : { expected: 1, current: 0 }],
  );
};

it(
  'An answer has its sources after one fault, and is the same without them while a fault lasts',
  async () => {
    // Faults that happen once come first, because the SDK saves its retries after many have failed.
    const attempts = [false, true].flatMap((isLasting) => FAULTS.map((fault) => [fault, isLasting] as const));
    for (const [fault, isLasting] of attempts) {
      for (let repeats = 0; ; repeats += 1) {
        try {
          await attempt(fault, isLasting);
          break;
        } catch (error) {
          if (repeats === MAX_REPEATS) throw error;
        }
      }
    }
  },
  TIMEOUT_MS,
);

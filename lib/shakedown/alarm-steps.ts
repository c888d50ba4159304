/** Raises alarms by their causes, and waits until they end. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Step } from './run-steps.ts';
import { STACK, type Target } from './target.ts';

/** Minutes until an alarm has changed: 5 are evaluated, and CloudWatch adds its delay. */
const MAX_MINUTES = 15;
const CALLERS = 50;
const PAUSE_MS = 500;

export const isAlarmIn = async ({ aws, resource }: Target, id: string, state: string): Promise<boolean> => {
  const names = ['--alarm-names', await resource('CloudWatch::Alarm', id)];
  return (await aws('cloudwatch', 'describe-alarms', ...names, '--query', 'MetricAlarms[].StateValue')) === state;
};

/** Does what raises an alarm, until `stop` is aborted. */
type Cause = (target: Target, stop: AbortSignal) => Promise<void>;

const stopProbe: Cause = async ({ aws, resource }, stop) => {
  const rule = await resource('Events::Rule', 'Probe');
  await aws('events', 'disable-rule', '--name', rule);
  try {
    if (!stop.aborted) await once(stop, 'abort');
  } finally {
    await aws('events', 'enable-rule', '--name', rule);
  }
};

/** Sends far more requests than the throttle of the stage allows. */
const exceedThrottle: Cause = async ({ send }, stop) => {
  let throttled = 0;
  const call = async () => {
    // Connections may break under this load.
    while (!stop.aborted) if ((await send('/v1/usage').catch(() => undefined))?.status === 429) throttled += 1;
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  // Without a key the service itself answers 401.
  if (throttled === 0) throw new Error('the throttle of the stage rejected no request');
};

/** Makes more than one in twenty requests get a 500. */
const forceErrors: Cause = async ({ createTestKey, send }, stop) => {
  const headers = { 'x-api-key': await createTestKey() };
  while (!stop.aborted) {
    await send('/v1/vehicle/ER19ERR/insurance', 'GET', headers);
    await pause(PAUSE_MS);
  }
};

/** The steps of deployments raise `FunctionErrors`. */
const CAUSES: Readonly<Record<string, Cause>> = {
  StageThrottle: exceedThrottle,
  GatewayErrors: forceErrors,
  Unreachable: stopProbe,
};

const raiseAndClear = async (target: Target, id: string, cause: Cause): Promise<void> => {
  const isOver = () => target.until(`${id} of ${STACK} ends`, MAX_MINUTES, () => isAlarmIn(target, id, 'OK'));
  // An earlier step may have raised it.
  await isOver();
  const stop = new AbortController();
  const causing = cause(target, stop.signal);
  // Its error is thrown below.
  causing.catch(() => undefined);
  try {
    await target.until(`${id} of ${STACK} is raised`, MAX_MINUTES, () => isAlarmIn(target, id, 'ALARM'));
  } finally {
    stop.abort();
    await causing;
  }
  await isOver();
};

/** A step for each alarm of `CAUSES`. */
export const ALARM_STEPS: readonly Step<Target>[] = Object.entries(CAUSES).map(([id, cause]) => ({
  title: `The alarm ${id} is raised and ends`,
  isAwsOnly: true,
  run: (target) => raiseAndClear(target, id, cause),
}));

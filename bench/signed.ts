/** Size of each lookup and median latency of the deployed bundle, unsigned and signed. */
import { signingEnvironment } from '../local/environment.ts';
import { startKms } from '../local/kms.ts';
import { always } from '../test/support/fault-choosers.ts';
import { startFaultProxy } from '../test/support/fault-proxy.ts';
import type { Invocation } from './function-process.ts';
import { grouped, type Measurement, median, table } from './report.ts';
import { type KindOfRequest, prepareRequests } from './requests.ts';

const DATABASE_MS = 5;
/** Added to what the KMS of this machine takes. */
const KMS_MS = 10;
const WARM_UP = 30;
const INVOCATIONS = 100;

const SIGNED: readonly KindOfRequest['endpoint'][] = [
  'vehicle-insurance',
  'bulk-insurance',
  'compliance',
  'bulk-compliance',
];

const asking = (event: object): object => ({
  ...event,
  headers: { ...(event as { headers: object }).headers, accept: 'application/jwt' },
});

const figures = (invocations: readonly Invocation[]) => [
  median(invocations.map(({ ms }) => ms)).toFixed(1),
  grouped(Buffer.byteLength(invocations[0]?.body ?? '')),
];

const measure: Measurement = async () => {
  const kms = await startKms();
  const slow = await startFaultProxy(kms.endpoint);
  slow.inject(always({ slowMs: KMS_MS }));
  Object.assign(process.env, signingEnvironment(slow.endpoint, 'https://api.example.com'));
  const { kinds, setDelay, start } = await prepareRequests(0);
  await setDelay(DATABASE_MS);
  const rows: string[][] = [];
  for (const { endpoint, name, event } of kinds.filter((kind) => SIGNED.includes(kind.endpoint))) {
    const process = await start(endpoint);
    const cells: string[] = [];
    for (const one of [event(0), asking(event(0))]) {
      await process.invoke(Array<object>(WARM_UP).fill(one));
      cells.push(...figures((await process.invoke(Array<object>(INVOCATIONS).fill(one))).invocations));
    }
    await process.end();
    rows.push([name, ...cells]);
  }
  await slow.close();
  await kms.close();
  return [table(['request', 'unsigned ms', 'unsigned bytes', 'signed ms', 'signed bytes'], rows)];
};
export default measure;

/** All steps of a shakedown. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tableOutput } from '../cloud/outputs.ts';
import { ALARM_STEPS, isAlarmIn } from './alarm-steps.ts';
import { DEPLOYMENT_STEPS } from './deployment-steps.ts';
import type { Step } from './run-steps.ts';
import { ROOT, STACK, type Target } from './target.ts';

const SAMPLES = join(ROOT, 'test/fixtures/samples');
const RESTORED = `${STACK}-restored`;
const REGISTRATION = 'AB12CDE';
/** API Gateway's limit. */
const MAX_BODY_BYTES = 10 * 1_024 * 1_024;
const RESTORE_MINUTES = 90;
/** DynamoDB can restore a table as it was 5 minutes ago or earlier. */
const RESTORED_AGE_MS = 6 * 60_000;

const expectStatus = (actual: number | undefined, expected: number): void => {
  if (actual !== expected) throw new Error(`the status is ${actual}, not ${expected}`);
};

/** Destroys the stack first: an interrupted shakedown may have left it in any state. */
const deploy = async (target: Target): Promise<void> => {
  await target.writeSettings();
  await target.destroy();
  await target.deploy(['-c', 'atOnce=true']);
};

const seeProbe = async (target: Target): Promise<void> => {
  await target.until('the alarm Unreachable has ended', 15, () => isAlarmIn(target, 'Unreachable', 'OK'));
  await target.run(join(ROOT, '.ci/smoke-test'), [STACK, 'none']);
};

const checkEveryEndpoint = async ({ run, origin, emulator }: Target): Promise<void> => {
  const address = await origin();
  const env = {
    TEST_API_ORIGIN: emulator ?? address,
    TEST_API_HOST: new URL(address).host,
    TEST_API_ADMIN: `--stack ${STACK}`,
  };
  await run('npm', ['run', '--silent', 'test:black-box'], { env });
};

const importSamples = async ({ admin }: Target): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'shakedown-samples-'));
  try {
    // Copies, because the rejected rows are written beside a file.
    await cp(SAMPLES, folder, { recursive: true });
    await admin('import', 'vehicles', join(folder, 'vehicles.csv'));
    await admin('import', 'compliance', join(folder, 'compliance.ndjson'));
  } finally {
    await rm(folder, { recursive: true });
  }
};

const seeCompression = async ({ createTestKey, send }: Target): Promise<void> => {
  const key = { 'x-api-key': await createTestKey() };
  const headers = { ...key, 'content-type': 'application/json', 'accept-encoding': 'gzip' };
  const registrations = Array<string>(50).fill(REGISTRATION);
  const answer = await send('/v1/vehicle/bulk-insurance', 'POST', headers, JSON.stringify({ registrations }));
  expectStatus(answer.status, 200);
  if (answer.headers['content-encoding'] !== 'gzip') throw new Error('the answer is not compressed');
  const { processed } = JSON.parse(gunzipSync(answer.body).toString()) as { processed: number };
  if (processed !== registrations.length) throw new Error(`${processed} of ${registrations.length} were processed`);
};

const readAccessLog = async ({ aws, resource, send, until }: Target): Promise<void> => {
  const { headers } = await send(`/v1/vehicle/${REGISTRATION}/insurance`);
  const id = String(headers['apigw-requestid']);
  const group = await resource('Logs::LogGroup', 'AccessLog');
  const listEvents = () => aws('logs', 'filter-log-events', '--log-group-name', group, '--query', 'events[].message');
  await until('the request is in the access log', 5, async () => (await listEvents()).includes(id));
  if ((await listEvents()).includes(REGISTRATION)) throw new Error('the access log has a registration');
};

const refuseLargeBody = async ({ send }: Target): Promise<void> => {
  const body = 'x'.repeat(MAX_BODY_BYTES + 1);
  expectStatus((await send('/v1/vehicle/bulk-insurance', 'POST', {}, body)).status, 413);
};

/** Needs the vehicles of an earlier step, on AWS at least 6 minutes old. */
const restoreTable = async ({ aws, admin, output, until, emulator }: Target): Promise<void> => {
  const at = emulator === undefined ? new Date(Date.now() - RESTORED_AGE_MS) : new Date();
  const [source, target] = [await output(tableOutput('vehicles')), ['--table-name', RESTORED]];
  const listRestored = () => aws('dynamodb', 'list-tables', '--query', `TableNames[?@=='${RESTORED}']`);
  const deleteRestored = async () => {
    if ((await listRestored()) === '') return;
    await aws('dynamodb', 'delete-table', ...target);
    await until(`${RESTORED} is deleted`, 10, async () => (await listRestored()) === '');
  };
  // An interrupted shakedown may have left it.
  await deleteRestored();
  await aws(
    ...['dynamodb', 'restore-table-to-point-in-time', '--source-table-name', source, '--target-table-name', RESTORED],
    ...['--restore-date-time', at.toISOString()],
  );
  try {
    const isActive = async () =>
      (await aws('dynamodb', 'describe-table', ...target, '--query', 'Table.TableStatus')) === 'ACTIVE';
    await until('the table is restored', RESTORE_MINUTES, isActive);
    const found = await admin('lookup', REGISTRATION, '--tables', `vehicles=${RESTORED}`);
    if (!found.includes(REGISTRATION)) throw new Error('the restored table lacks a vehicle that was stored');
  } finally {
    await deleteRestored();
  }
};

const BY_HAND = [
  'IAM rejects what is not granted',
  'Alarms are mailed',
  'TTL deletes expired items',
  'Tables and stack of a stage that keeps its data are protected',
  'A custom domain',
  'Throttling of real tables',
  'When CloudFormation deletes the permissions on a restored table that is not used any more',
  "AWS Backup with its copies, a bootstrap of a stage's own, another team's alarm topic, `ClaimedAccountConcurrency`",
  'Cold starts and latency',
  'What CodeDeploy does with an alias that was moved by hand',
];

/** All steps need the first; the last always runs. */
export const STEPS: readonly Step<Target>[] = [
  { title: 'CloudFormation accepts the stack', run: deploy },
  { title: 'EventBridge runs the probe, whose journey succeeds', isAwsOnly: true, run: seeProbe },
  { title: 'Every endpoint answers as the black-box checks expect', run: checkEveryEndpoint },
  { title: 'The sample files are imported', run: importSamples },
  { title: 'API Gateway passes compressed answers on', run: seeCompression },
  { title: 'The access log has the request and no registration', isAwsOnly: true, run: readAccessLog },
  { title: 'API Gateway refuses a body of more than 10 MB', isAwsOnly: true, run: refuseLargeBody },
  ...ALARM_STEPS,
  ...DEPLOYMENT_STEPS,
  { title: 'A table is restored', run: restoreTable },
  ...BY_HAND.map((title) => ({ title })),
  { title: 'Everything is destroyed', isAlways: true, run: ({ destroy }) => destroy() },
];

/** `npm run trial -- --profile NAME` tries the service on AWS (docs/testing.md#on-aws-itself). */
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import * as outputs from '../../../core/stage/outputs.ts';
import { adminProcess, createKey } from '../../black-box/prepare-target.ts';
import { complianceLine, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { send } from '../../support/send.ts';
import { documentedCommands } from './documented-commands.ts';
import {
  aws,
  becomeSupplier,
  createSupplier,
  deleteEverything,
  endWithoutChange,
  eventually,
  folder,
  follow,
  operator,
  outputOf,
  query,
  region,
  STACK,
  settings,
  show,
  writeSettings,
} from './trial-account.ts';

const RESTORED = `${STACK}-restored`;
const REGISTRATION = 'TR14ALS';
const YEAR = new Date().getUTCFullYear();

const begin = Date.now();
const print = (text: string) => process.stdout.write(`${text}\n`);
const step = (title: string) => print(`\n${title} (${Math.round((Date.now() - begin) / 60_000)} minutes have passed)`);
const reportError = (error: unknown): void => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
};

const admin = adminProcess(['--stack', STACK, '--yes', STACK], operator);

const tryStage = async (): Promise<void> => {
  step('1. Create the role of a supplier, and deploy the stage');
  const from = await createSupplier();
  const intake = settings.intake?.map((entry) => (entry.supplier ? { ...entry, from } : entry)) ?? [];
  writeSettings({ intake });
  show('npx', ['cdk', 'deploy', '-c', 'stage=trial', '-c', `stages=${folder}`, '--require-approval', 'never']);
  const isName = "StackResourceSummaries[?starts_with(PhysicalResourceId, 'vehicle-')].[PhysicalResourceId]";
  const names = await aws(`cloudformation list-stack-resources --stack-name ${STACK} --output text --query`, [isName]);
  print(`Names of the stack; CloudFormation has cut those that do not begin with ${STACK}-:\n${names}`);
  const { host, origin: address } = new URL(await outputOf('BaseAddress'));
  // An emulator finds the API by the host.
  const origin = process.env.AWS_ENDPOINT_URL ?? address;

  step('2. Run the black-box tests');
  const TEST_API_ADMIN = `--stack ${STACK} --yes ${STACK}`;
  show('npm', ['run', '--silent', 'test:black-box'], { TEST_API_ORIGIN: origin, TEST_API_HOST: host, TEST_API_ADMIN });
  const { key } = await createKey(admin, 'free');
  const vehicle = `/v1/vehicle/${REGISTRATION}/insurance`;
  // An idle connection may end unnoticed while a command runs.
  const headers = { Connection: 'close' };
  const isAnswered = async (path: string, status = 200) =>
    assert.equal((await send({ origin, host }, 'GET', path, { key, headers })).status, status);

  step('3. Put files, as the supplier and as an operator, which load themselves');
  const bucket = await outputOf('IntakeBucket');
  const supplier = await eventually(2, () => becomeSupplier(from));
  const put = (name: string, text: string, env = operator) => aws(`s3 cp - s3://${bucket}/${name}`, [], env, text);
  const days = { valid_from: `${YEAR}-01-01`, valid_to: `${YEAR}-12-31` };
  const rows = vehiclesCsv(vehicleRow({ registration: REGISTRATION, ...days }));
  await eventually(2, () => put('vehicles/acme/good.csv', rows, supplier));
  await put('vehicles/acme/bad.csv', 'This file has no columns.\n', supplier);
  await assert.rejects(put('compliance/other.ndjson', '', supplier), /AccessDenied/);
  await put('compliance/good.ndjson', complianceLine({ registration: REGISTRATION }));
  const list = `s3api list-objects-v2 --bucket ${bucket} --prefix reports/vehicles/acme/`;
  const isSummary = "Contents[?ends_with(Key, 'summary.json')].Key";
  await eventually(30, async () => {
    const found: string[] = await query(list, isSummary, [], supplier);
    const summaries = await Promise.all(found.map((name) => aws(`s3 cp s3://${bucket}/${name} -`, [], supplier)));
    assert.deepEqual(summaries.map((summary) => JSON.parse(summary).outcome).sort(), ['loaded', 'refused']);
  });
  await isAnswered(vehicle);
  await eventually(30, () => isAnswered(`/v1/compliance/${REGISTRATION}`));
  const time = new Date().toISOString();

  step('4. Try to delete what is protected');
  const VEHICLES_TABLE = await outputOf(outputs.tableOutput('vehicles'));
  await assert.rejects(aws(`dynamodb delete-table --table-name ${VEHICLES_TABLE}`), /protect/);
  await assert.rejects(aws(`cloudformation delete-stack --stack-name ${STACK}`), /[Tt]ermination ?[Pp]rotection/);

  step('5. Restore vehicles into a new table, which the stage then uses');
  const named = { 'restored-vehicles': RESTORED, 'vehicles-20261120': RESTORED };
  const restored = { VEHICLES_TABLE, ...named, '2026-11-20T08:00:00Z': time };
  const [restore = '', wait = ''] = documentedCommands('Restore', '--target-table-name restored-vehicles');
  // A table can be restored to 5 minutes ago.
  await eventually(15, () => follow([restore], restored));
  await eventually(90, () => follow([wait], restored));
  await admin('remove', 'vehicles', '--registration', REGISTRATION);
  await isAnswered(vehicle, 404);
  // Nothing expires in a table of vehicles.
  follow(documentedCommands('Restore', 'update-time-to-live --table-name TABLE').slice(0, -1), { TABLE: RESTORED });
  follow(documentedCommands('Restore', 'tables check vehicles'), restored);
  writeSettings({ intake, tables: { vehicles: RESTORED } });
  follow(documentedCommands('Update and roll back', '.ci/check-kept'));
  await isAnswered(vehicle);

  step('6. Find in the audit who put a file');
  const audit = await outputOf('AuditBucket');
  const sync = `. docs/audit.sh && cd ${folder} && aws s3 sync --quiet s3://${audit}/AWSLogs audit`;
  const search = ['-ec', `${sync} && changes vehicles/acme/good.csv | tee found && grep --quiet PutObject found`];
  await eventually(30, () => show('/bin/bash', search));
};

const account = await query('sts get-caller-identity', 'Account');
const answers = createInterface({ input: process.stdin });
const lines = answers[Symbol.asyncIterator]();
const ask = async (question: string): Promise<string> => {
  process.stdout.write(question);
  return (await lines.next()).value?.trim() ?? '';
};
print(`This deploys ${STACK} into the account ${account} in ${region}, uses it for an hour or two, and deletes it.
It costs less than 1 USD. After any failure run it again: it first deletes what was left.`);
const given = await ask('To begin, type the number of the account: ');
if (given !== account) endWithoutChange('nothing was done, because the account was not confirmed.');
step('Delete what an earlier trial has left');
await deleteEverything();
try {
  await tryStage();
  print('\nEverything succeeded.');
} catch (error) {
  reportError(error);
  await ask('The stage is as it was then. When you have looked at it, press Enter: ');
}
answers.close();
step('7. Delete everything');
await deleteEverything();
print('Left are the assets in the bucket of `cdk bootstrap`.');

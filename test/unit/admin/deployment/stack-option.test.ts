import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { prefixedTableNames } from '../../../../core/tables.ts';
import { type VehicleCells, vehicleRow, vehiclesCsv } from '../../../support/import-files.ts';
import { type CommandOptions, failure, runAdminCommand, useAdmin } from '../../../support/use-admin.ts';
import { CALLER, metricsOf, tableOutputs, useAwsServer } from '../../../support/use-aws-server.ts';

const { engine, proxy, atCall, file } = useAdmin();

const NOWHERE = prefixedTableNames('no-');
const PROD = 'vehicle-verification-prod';
const DEV = 'vehicle-verification-dev';
const WATCHED = 'vehicle-verification-watched';

const aws = useAwsServer();

beforeAll(() => {
  const tables = tableOutputs(engine().names);
  aws.stacks.other = { Something: 'else' };
  aws.stacks[PROD] = { ...tables, KeepsData: 'yes' };
  aws.stacks[WATCHED] = { ...tables, ImportMetrics: 'VehicleVerification/watched' };
  aws.stacks[DEV] = { ...tables, KeepsData: 'no' };
  Object.assign(process.env, aws.environmentWith(proxy().endpoint));
});

/** Runs the CLI with tables of another name, so that only the stack's outputs can lead to the right ones. */
const run = (args: readonly string[], options?: CommandOptions) =>
  runAdminCommand([...args, '--region', 'eu-west-2'], NOWHERE, options);

const createKey = async (stack = PROD): Promise<string> => {
  const { stdout } = await run(['keys', 'create', '--name', 'A', '--plan', 'free', '--json', '--stack', stack]);
  return (JSON.parse(stdout) as { id: string }).id;
};

describe('A deployed stack', () => {
  it('is named by --stack, before or after the command, and found by its outputs', async () => {
    const stdout = expect.stringContaining(await createKey());
    expect(await run(['--stack', DEV, 'keys', 'list'])).toMatchObject({ exitCode: 0, stdout });
  });

  it('is used with other tables where --tables names all of them, or single ones', async () => {
    const list = (tables: string) => run(['keys', 'list', '--stack', PROD, '--tables', tables]);
    expect(await list(engine().names.keys.replace(/keys$/, ''))).toMatchObject({ exitCode: 0 });
    expect(await list(`usage=${engine().names.usage}`)).toMatchObject({ exitCode: 0 });
    expect(await list('none-')).toMatchObject({ exitCode: 2 });
    expect(await list('keys=none')).toMatchObject({ exitCode: 2 });
  });

  it.each([
    [['--tables', 'keys='], '--tables takes the prefix of all table names, or single tables as ID=NAME'],
    [['--tables', 'key=a'], 'with the ids keys, usage, vehicles, compliance, content'],
    [['--stack', 'other'], 'the stack other is not a stack of this service: it has no output KeysTable'],
    [['--stack', DEV, '--dynamodb', 'http://127.0.0.1:1'], "option '--stack <name>' cannot be used with option '--dyn"],
    [['--dynamodb', 'http://127.0.0.1:1'], '--region belongs to a deployed stack'],
    [[], 'name the stack with --stack, or tables without a stack with --tables keys=NAME'],
  ])('is rejected with a sentence when it cannot be used: %j', async (options, sentence) => {
    expect(await run(['keys', 'list', ...options])).toEqual(failure(sentence));
  });
});

it('Tables that a deleted stack left behind are named by --region and --tables, and changed for good only with --yes', async () => {
  const id = await createKey();
  const leftBehind = ['--tables', `keys=${engine().names.keys}`];
  const stdout = expect.stringMatching(new RegExp(`^${id} .* unknown$`, 'm'));
  expect(await run(['keys', 'list', ...leftBehind])).toMatchObject({ exitCode: 0, stdout });
  const sentence = 'error: this command needs the table usage: name it with --tables usage=NAME\n';
  expect(await run(['keys', 'usage', id, ...leftBehind])).toEqual(failure(sentence));
  const revoke = ['keys', 'revoke', id, ...leftBehind];
  expect(await run(revoke)).toEqual(failure(`with --yes ${engine().names.keys}`));
  expect(await run([...revoke, '--yes', engine().names.keys])).toMatchObject({ exitCode: 0 });
});

describe('A change of a key', () => {
  it('names in its record the ARN of who made it', async () => {
    const id = await createKey();
    const byTables = ['keys', 'update', id, '--plan', 'premium', '--tables', `keys=${engine().names.keys}`];
    expect(await run(byTables)).toMatchObject({ exitCode: 0 });
    const { stdout } = await run(['keys', 'list', '--json', '--stack', DEV]);
    const [key] = JSON.parse(stdout).filter((one: { id: string }) => one.id === id);
    expect(key).toMatchObject({ createdBy: CALLER, changedBy: CALLER });
  });

  it('is not made when STS does not say who makes it', async () => {
    aws.failWith({ status: 503, code: 'ServiceUnavailable', message: 'later' });
    const create = ['keys', 'create', '--name', 'Nobody', '--plan', 'free', '--stack', DEV];
    const sentence = 'whose these credentials are, so nothing was done: STS answered with ServiceUnavailable';
    expect(await run(create)).toEqual(failure(sentence));
    aws.failWith(undefined);
    expect((await run(['keys', 'list', '--stack', DEV])).stdout).not.toContain('Nobody');
  });
});

describe('A command that cannot be undone, on a stack that keeps its data', () => {
  it('is rejected without the stack’s name where nobody can be asked', async () => {
    const id = await createKey();
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    for (const command of [
      ['keys', 'revoke', id],
      ['keys', 'rotate', id],
      ['keys', 'restore', '--from', engine().names.keys],
      ['import', 'vehicles', path],
      ['remove', 'vehicles', '--all'],
      ['remove', 'compliance', '--registration', 'AB12CDE'],
    ]) {
      expect(await run([...command, '--stack', PROD])).toEqual(failure(`confirm it with --yes ${PROD}`));
    }
  });

  it('is done with --yes and the stack’s name, and rejected with another', async () => {
    const revoke = ['keys', 'revoke', await createKey(), '--stack', PROD, '--yes'];
    expect(await run([...revoke, DEV])).toEqual(failure(`${DEV} is not ${PROD}: nothing was done`));
    expect(await run([...revoke, PROD])).toMatchObject({ exitCode: 0 });
    // A stack that goes with its data needs neither.
    expect(await run(['keys', 'revoke', await createKey(DEV), '--stack', DEV])).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['yes', 2],
    [PROD, 0],
  ])('asks a person at a terminal to type the name: %s', async (answer, exitCode) => {
    const id = await createKey();
    const ask = jest.fn(async (_question: string) => answer);
    expect(await run(['keys', 'revoke', id, '--stack', PROD], { ask })).toMatchObject({ exitCode });
    expect(ask).toHaveBeenCalledWith(`This revokes key ${id} permanently. Type ${PROD} to continue: `);
  });
});

describe('An import that came to its end', () => {
  const load = async (stack: string, options: string[] = [], cells: VehicleCells = {}, around: CommandOptions = {}) => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow(cells)));
    return run(['import', 'vehicles', path, '--stack', stack, ...options], around);
  };

  it('publishes what it has loaded, or found as it is, to the namespace of a stack that expects imports', async () => {
    await load(DEV);
    expect(aws.published).toEqual([]);
    await load(WATCHED);
    await load(WATCHED, [], { color: 'Blue' });
    await load(WATCHED, [], { color: 'Blue', valid_from: '2025-01-01', valid_to: '2025-12-31' });
    const published = [0, 0, 1].map((NoLongerInsured) => ({
      Namespace: 'VehicleVerification/watched',
      MetricData: metricsOf('-', { VehiclesLoaded: 1, BecameInsured: 0, NoLongerInsured }),
    }));
    expect(aws.published).toEqual(published);
    await load(WATCHED, ['--dry-run']);
    const interruption = new AbortController();
    atCall(1, 'PutItem', () => interruption.abort());
    const stopped = await load(WATCHED, [], { color: 'Green' }, { signal: interruption.signal });
    expect(stopped).toMatchObject({ exitCode: 130, stdout: expect.stringMatching(/\n +1 +1 +0 +0 /) });
    await load(WATCHED, ['--if-newer'], { color: 'Red', last_updated: '2025-01-01T00:00:00Z' });
    await run(['remove', 'vehicles', '--registration', 'AB12CDE', '--stack', WATCHED]);
    expect(aws.published).toHaveLength(3);
  });

  it('succeeds with a notice when publishing is not permitted', async () => {
    aws.failWith({ status: 403, code: 'AccessDenied', message: 'not authorized to perform: cloudwatch:PutMetricData' });
    const result = await load(WATCHED);
    aws.failWith(undefined);
    const notice =
      /^The file is loaded, but the alarms NoImport and NothingLoaded do not know it: .*AccessDenied.*\.\n$/;
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(notice) });
  });
});

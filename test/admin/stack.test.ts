import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TableId } from '../../functions/tables.ts';
import { tableOutput } from '../../lib/cloud/outputs.ts';
import { commandLine, runCommand } from './command-line.ts';
import { startFakeCloudFormation } from './fake-cloudformation.ts';
import { vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { engine, file } = commandLine();
let cloudFormation: Awaited<ReturnType<typeof startFakeCloudFormation>>;

const NOWHERE = { keys: 'no', usage: 'no', vehicles: 'no', compliance: 'no', content: 'no' };
const PROD = 'vehicle-verification-prod';
const DEV = 'vehicle-verification-dev';

/** Runs the CLI with tables of another name, so that only the stack's outputs can lead to the right ones. */
const run = (args: readonly string[], options?: Parameters<typeof runCommand>[2]) =>
  runCommand([...args, '--region', 'eu-west-2'], NOWHERE, options);

const createKey = async (stack: string) => {
  const { stdout } = await run(['keys', 'create', '--name', 'A', '--plan', 'free', '--json', '--stack', stack]);
  return JSON.parse(stdout) as { id: string };
};

beforeAll(async () => {
  const tables = Object.entries(engine().names).map(([id, name]) => [tableOutput(id as TableId), name]);
  cloudFormation = await startFakeCloudFormation({
    [PROD]: { ...Object.fromEntries(tables), KeepsData: 'yes' },
    [DEV]: { ...Object.fromEntries(tables), KeepsData: 'no' },
    other: { Something: 'else' },
  });
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: engine().endpoint,
  });
});
afterAll(() => cloudFormation.close());

describe('A deployed stack', () => {
  it('is named by --stack, before or after the command, and found by its outputs', async () => {
    const { id } = await createKey(PROD);
    const before = await run(['--stack', DEV, 'keys', 'list']);
    expect(before).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) });
  });

  it('leads to other tables in its account where --tables names them, such as restored ones', async () => {
    const prefix = engine().names.keys.replace(/keys$/, '');
    expect(await run(['keys', 'list', '--stack', PROD, '--tables', prefix])).toMatchObject({ exitCode: 0 });
    expect(await run(['keys', 'list', '--stack', PROD, '--tables', 'none-'])).toMatchObject({ exitCode: 2 });
  });

  it('uses single tables of other names where --tables names them, and its own for the rest', async () => {
    const { id } = await createKey(PROD);
    const usage = await run(['keys', 'usage', id, '--stack', PROD, '--tables', `usage=${engine().names.usage}`]);
    expect(usage).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('0 of 60') });
    expect(await run(['keys', 'list', '--stack', PROD, '--tables', 'keys=none'])).toMatchObject({ exitCode: 2 });
  });

  it.each([
    [['--tables', 'keys='], '--tables takes what all names begin with, or single tables as ID=NAME'],
    [['--tables', 'key=a'], 'with the ids keys, usage, vehicles, compliance, content'],
    [['--tables', 'keys=a,keys=b'], '--tables takes what all names begin with'],
    [['--stack', 'missing'], 'there is no stack missing in eu-west-2'],
    [['--stack', 'other'], 'the stack other is not a stack of this service: it has no output KeysTable'],
    [['--stack', DEV, '--dynamodb', 'http://127.0.0.1:1'], '--stack finds the database by itself'],
    [['--dynamodb', 'http://127.0.0.1:1'], '--region belongs to a deployed stack'],
    [[], 'name the stack with --stack, or tables that have none with --tables keys=NAME'],
  ])('is refused in a sentence when it cannot be used: %j', async (options, sentence) => {
    const { exitCode, stderr } = await run(['keys', 'list', ...options]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});

describe('Tables that a deleted stack left behind', () => {
  const leftBehind = () => ['--tables', `keys=${engine().names.keys}`];

  it('are named by --region and --tables', async () => {
    const { id } = await createKey(PROD);
    const listed = await run(['keys', 'list', ...leftBehind()]);
    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) });
  });

  it('are never guessed: a command that needs another one asks for its name', async () => {
    const { id } = await createKey(PROD);
    const { exitCode, stderr } = await run(['keys', 'usage', id, ...leftBehind()]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: this command needs the table usage: name it with --tables usage=NAME\n',
    });
  });

  it('are changed for good only when the name of the first one is given', async () => {
    const { id } = await createKey(PROD);
    const revoke = ['keys', 'revoke', id, ...leftBehind()];
    expect(await run(revoke)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`with --yes ${engine().names.keys}`),
    });
    expect(await run([...revoke, '--yes', engine().names.keys])).toMatchObject({ exitCode: 0 });
  });
});

describe('What cannot be undone, on a stack that keeps its data', () => {
  it('is refused without the stack’s name where nobody can be asked', async () => {
    const { id } = await createKey(PROD);
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    for (const command of [
      ['keys', 'revoke', id],
      ['keys', 'restore', '--from', engine().names.keys],
      ['import', 'vehicles', path],
      ['content', 'check', '--repair'],
    ]) {
      const { exitCode, stdout, stderr } = await run([...command, '--stack', PROD]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/confirm it with --yes vehicle-verification-prod/);
    }
  });

  it('is done with --yes and the stack’s name, and refused with another', async () => {
    const { id } = await createKey(PROD);
    expect(await run(['keys', 'revoke', id, '--stack', PROD, '--yes', DEV])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`--yes ${DEV} is not ${PROD}: nothing was done`),
    });
    expect(await run(['keys', 'revoke', id, '--stack', PROD, '--yes', PROD])).toMatchObject({ exitCode: 0 });
  });

  it('asks a person at a terminal to type the name', async () => {
    const { id } = await createKey(PROD);
    const questions: string[] = [];
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        questions.push(question);
        return answer;
      },
    });
    const revoke = ['keys', 'revoke', id, '--stack', PROD];
    expect(await run(revoke, answering('yes'))).toMatchObject({ exitCode: 2 });
    expect(await run(revoke, answering(PROD))).toMatchObject({ exitCode: 0 });
    expect(questions[0]).toBe(`This ends key ${id} for good. Type ${PROD} to go on: `);
  });

  it('is done without a question on a stack that goes with its data', async () => {
    const { id } = await createKey(DEV);
    expect(await run(['keys', 'revoke', id, '--stack', DEV])).toMatchObject({ exitCode: 0 });
  });
});

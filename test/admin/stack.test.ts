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

  it.each([
    [['--stack', 'missing'], 'there is no stack missing in eu-west-2'],
    [['--stack', 'other'], 'the stack other is none of this service: it has no output KeysTable'],
    [['--stack', DEV, '--dynamodb', 'http://127.0.0.1:1'], '--stack finds the database by itself'],
    [['--dynamodb', 'http://127.0.0.1:1'], '--region belongs to a deployed stack'],
  ])('is refused in a sentence when it cannot be used: %j', async (options, sentence) => {
    const { exitCode, stderr } = await run(['keys', 'list', ...options]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(sentence) });
  });
});

describe('What cannot be undone, on a stack that keeps its data', () => {
  it('is refused without the stack’s name where nobody can be asked', async () => {
    const { id } = await createKey(PROD);
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    for (const command of [
      ['keys', 'revoke', id],
      ['import', 'vehicles', path],
      ['content', 'check', '--repair'],
    ]) {
      const { exitCode, stdout, stderr } = await run([...command, '--stack', PROD]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/say that you mean it with --yes vehicle-verification-prod/);
    }
  });

  it('is done with --yes and the stack’s name, and refused with another', async () => {
    const { id } = await createKey(PROD);
    expect(await run(['keys', 'revoke', id, '--stack', PROD, '--yes', DEV])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is not the name of the stack: nothing was done'),
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

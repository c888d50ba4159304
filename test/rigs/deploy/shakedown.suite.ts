import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { STACK } from '../../../lib/shakedown/target.ts';
import { runCommand } from '../../support/run-command.ts';
import { deployedStack } from './deployed-stack.ts';
import { useEmulator } from './use-emulator.ts';

const ACCOUNT = '000000000000';
const PROFILE = `[profile emulator]
aws_access_key_id = test
aws_secret_access_key = test
`;

const { inFolder, env, endpoint } = useEmulator();
beforeAll(async () => {
  env.AWS_CONFIG_FILE = inFolder('config');
  await writeFile(env.AWS_CONFIG_FILE, PROFILE);
});

describe('The shakedown, on an AWS emulator', () => {
  const shakeDown = (...args: string[]) =>
    runCommand('npm', ['run', '--silent', 'shakedown', '--', '--profile', 'emulator', ...args], { env });
  const status = () => deployedStack(STACK, endpoint()).status();

  it('does nothing without the number of the account', async () => {
    await expect(shakeDown('--yes', '123456789012')).rejects.toThrow('nothing was done');
    expect(await status()).toBeUndefined();
  });

  it('passes the steps that an emulator can show, reports the others as not seen, and leaves no table', async () => {
    // What a run that was ended has left.
    const table = ['--table-name', `${STACK}-restored`, '--billing-mode', 'PAY_PER_REQUEST'];
    const key = '--attribute-definitions AttributeName=a,AttributeType=S --key-schema AttributeName=a,KeyType=HASH';
    await runCommand('aws', ['dynamodb', 'create-table', ...table, ...key.split(' ')], { env });
    const printed = await shakeDown('--yes', ACCOUNT);
    const titles = (outcome: string) =>
      [...printed.matchAll(new RegExp(`^${outcome} +(.*), \\d+ min`, 'gm'))].map(([, title]) => title);
    expect(titles('failed')).toEqual([]);
    expect(titles('passed')).toEqual([
      'CloudFormation accepts the stack',
      'Every endpoint answers as the black-box checks expect',
      'The sample files are imported',
      'API Gateway passes compressed answers on',
      'An update, gradual on AWS, answers with the new version',
      'An alias that is moved by hand',
      'A table is restored',
      'Everything is destroyed',
    ]);
    expect(titles('not seen').length).toBeGreaterThan(8);
    expect(printed).toMatch(/8 passed, 0 failed, \d+ not seen\.\nLeft are the assets/);
    expect(printed).not.toContain(`${STACK}-restored`);
    expect(await status()).toBeUndefined();
  });
});

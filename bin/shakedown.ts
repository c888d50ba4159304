/** Tries on AWS what no test can show: `npm run shakedown -- --profile NAME` (docs/testing.md#on-aws-itself). */
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { runSteps, type StepResult } from '../lib/shakedown/run-steps.ts';
import { STEPS } from '../lib/shakedown/steps.ts';
import { openTarget, STACK } from '../lib/shakedown/target.ts';

const USAGE = 'Usage: npm run shakedown -- --profile NAME [--region REGION] [--yes ACCOUNT]';

const print = (text: string) => process.stdout.write(`${text}\n`);

const fail = (message: string): never => {
  process.stderr.write(`error: ${message}\n`);
  process.exit(2);
};

const readArguments = () => {
  try {
    const options = { profile: { type: 'string' }, region: { type: 'string' }, yes: { type: 'string' } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    return fail(`${(error as Error).message}\n${USAGE}`);
  }
};

const confirm = async (account: string): Promise<string> => {
  if (!process.stdin.isTTY) return '';
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`To begin, type the number of the account, ${account}: `);
  terminal.close();
  return answer.trim();
};

const report = ({ title, outcome, reason, minutes }: StepResult) =>
  print(`${outcome.padEnd(8)}  ${title}, ${minutes} min${reason === undefined ? '' : `: ${reason}`}`);

const { profile, yes, region: named } = readArguments();
if (profile === undefined) fail(`--profile is missing.\n${USAGE}`);
// Keys in the environment would take precedence over the profile.
const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _key, AWS_SESSION_TOKEN: _token, ...others } = process.env;
const region = named ?? others.AWS_REGION ?? others.AWS_DEFAULT_REGION ?? fail(`--region is missing.\n${USAGE}`);
const env = { ...others, AWS_PROFILE: profile, AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_PAGER: '' };

const findAccount = async (): Promise<string> => {
  const { aws, close } = await openTarget(region, '', env);
  const account = await aws('sts', 'get-caller-identity', '--query', 'Account').catch((error: Error) => error);
  await close();
  return typeof account === 'string' ? account : fail(account.message);
};

const account = await findAccount();
const isAws = process.env.AWS_ENDPOINT_URL === undefined;
print(`This deploys ${STACK} into the account ${account} in ${region}, uses it for two to three hours, and destroys it.
It costs less than 2 USD. After any failure run it again: it first destroys what was left.`);
if ((yes ?? (await confirm(account))) !== account) fail('nothing was done, because the account was not confirmed.');

const target = await openTarget(region, account, env);
const results = await runSteps(STEPS, target, isAws, report);
const isOurs = (name: string) => `contains(${name}, '${STACK}')`;
const left = [
  await target.aws('logs', 'describe-log-groups', '--query', `logGroups[?${isOurs('logGroupName')}].logGroupName`),
  await target.aws('dynamodb', 'list-tables', '--query', `TableNames[?${isOurs('@')}]`),
].flatMap((names) => names.split(/\s+/).filter(Boolean));
await target.close();
const count = (outcome: StepResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
print(`${count('passed')} passed, ${count('failed')} failed, ${count('not seen')} not seen.
Left are the assets in the bucket of \`cdk bootstrap\`${left.length === 0 ? '' : `, and ${left.join(', ')}`}.`);
process.exitCode = count('failed') === 0 ? 0 : 1;

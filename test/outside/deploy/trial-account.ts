/** The accounts of a trial, the commands that it runs there, and what it leaves there: nothing. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { readCommandLine } from '../../../bin/command-line.ts';
import type { StageFile } from '../../../core/stage/stage-schema.ts';
import { runCommand } from '../../support/program.ts';
import { documentedCommands, type Names, scriptOf } from './documented-commands.ts';

export const STACK = 'vehicle-verification-trial';
const SUPPLIER = `${STACK}-supplier`;

/** Ends a trial that has changed nothing. */
export const endWithoutChange = (message: string): never => {
  process.stderr.write(`error: ${message}\n`);
  process.exit(2);
};

const USAGE = `Usage: npm run trial -- --profile NAME [NAME]
Deploys the stage trial into the account of an AWS profile, tries it, and deletes everything. It asks first.
The account of a second profile, or the same one, gets the role of a supplier.`;
const [option, profile, supplierProfile = profile, ...more] = readCommandLine(USAGE, () => true);
if (option !== '--profile' || !profile || more.length > 0) endWithoutChange(USAGE);

export const settings: StageFile = JSON.parse(readFileSync('stages/trial.json', 'utf8'));
export const { region } = settings;
// Keys in the environment would take precedence over the profile.
const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _key, AWS_SESSION_TOKEN: _token, ...others } = process.env;
const common = { ...others, AWS_REGION: region, AWS_DEFAULT_REGION: region, AWS_PAGER: '' };
export const operator: NodeJS.ProcessEnv = { ...common, AWS_PROFILE: profile };
const supplierAccount: NodeJS.ProcessEnv = { ...common, AWS_PROFILE: supplierProfile };

/** Runs a command whose output is shown. */
export const show = (command: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): void => {
  execFileSync(command, args, { env: { ...operator, ...variables }, stdio: ['ignore', 'inherit', 'inherit'] });
};
/** Runs the AWS CLI. The command has single blanks; values may have any. */
export const aws = (command: string, values: readonly string[] = [], env = operator, input = ''): Promise<string> =>
  runCommand('aws', [...command.split(' '), ...values], { env, input: Readable.from([input]) });
/** What `--query` finds; an empty list instead of null. */
export const query = async (command: string, expression: string, values: readonly string[] = [], env = operator) =>
  JSON.parse((await aws(command, [...values, '--output', 'json', '--query', expression], env)) || 'null') ?? [];
export const outputOf = (name: string) => runCommand('.ci/stack-output', [STACK, name], { env: operator });

/** The settings of this trial, and what its commands write. */
export const folder = mkdtempSync(join(tmpdir(), 'trial-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
export const writeSettings = (changes: Partial<StageFile>): void =>
  writeFileSync(join(folder, 'trial.json'), JSON.stringify({ ...settings, ...changes }));

/** Runs commands of docs/operations.md for this stage. */
export const follow = (commands: readonly string[], names: Names = {}): void => {
  const namesHere: Names = {
    ...names,
    'cdk synth': `cdk synth --output ${folder}/cdk.out`,
    'cdk deploy': 'cdk deploy --require-approval never',
    'cdk destroy': 'cdk destroy --force',
    'cdk.out': `${folder}/cdk.out`,
    'stage=prod': `stage=trial -c stages=${folder}`,
    'Value=prod': 'Value=trial',
    'stack vehicle-verification-prod': `stack ${STACK} --yes ${STACK}`,
    'vehicle-verification-prod': STACK,
    'eu-west-2': region,
  };
  show('/bin/sh', ['-ec', scriptOf(commands, namesHere)]);
};

/** Repeats a check until it holds, and throws its last error after so many minutes. */
export const eventually = async <T>(minutes: number, check: () => T | Promise<T>): Promise<T> => {
  for (const end = Date.now() + minutes * 60_000; ; await pause(5_000)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
};

/** Deletes what a trial has made, however far it came. */
export const deleteEverything = async (): Promise<void> => {
  writeSettings({});
  const isStack = `StackName=='${STACK}' && StackStatus!='DELETE_COMPLETE'`;
  const stacks = await query('cloudformation list-stacks', `StackSummaries[?${isStack}]`);
  if (stacks.length > 0) follow(documentedCommands('Tear down', 'cdk destroy'));
  const isOurs = `[?starts_with(@, '${STACK}-')]`;
  for (const OLD_TABLE of await query('dynamodb list-tables', `TableNames${isOurs}`)) {
    follow(documentedCommands('Tear down', 'OLD_TABLE'), { OLD_TABLE });
  }
  for (const bucket of await query('s3api list-buckets', `Buckets[].Name | ${isOurs}`)) {
    const versions = '[Versions, DeleteMarkers][][].{Key: Key, VersionId: VersionId}';
    // CloudTrail may still deliver events.
    await eventually(15, async () => {
      await aws(`s3 rm --quiet --recursive s3://${bucket}`);
      const Objects = await query(`s3api list-object-versions --bucket ${bucket}`, versions);
      const isEmpty = Objects.length === 0;
      if (!isEmpty) await aws(`s3api delete-objects --bucket ${bucket} --delete`, [JSON.stringify({ Objects })]);
      await aws(`s3 rb s3://${bucket}`);
    });
  }
  for (const name of await query('logs describe-log-groups', `logGroups[].logGroupName | [?contains(@, '${STACK}')]`)) {
    await aws(`logs delete-log-group --log-group-name ${name}`);
  }
  const roles = await query('iam list-roles', `Roles[?RoleName=='${SUPPLIER}']`, [], supplierAccount);
  if (roles.length === 0) return;
  const policies = await query(`iam list-role-policies --role-name ${SUPPLIER}`, 'PolicyNames', [], supplierAccount);
  for (const name of policies) {
    await aws(`iam delete-role-policy --role-name ${SUPPLIER} --policy-name ${name}`, [], supplierAccount);
  }
  await aws(`iam delete-role --role-name ${SUPPLIER}`, [], supplierAccount);
};

/** Creates a role that people of its account may take, with what docs/operations.md permits it. Returns its ARN. */
export const createSupplier = async (): Promise<string> => {
  const document = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement });
  const allow = (Action: string, more: object) => ({ Effect: 'Allow', Action, ...more });
  const AWS = await query('sts get-caller-identity', 'Account', [], supplierAccount);
  const trust = document(allow('sts:AssumeRole', { Principal: { AWS } }));
  const create = `iam create-role --role-name ${SUPPLIER} --assume-role-policy-document`;
  const arn = await query(create, 'Role.Arn', [trust], supplierAccount);
  const policy = document(
    allow('s3:PutObject', { Resource: 'arn:aws:s3:::*/vehicles/acme/*' }),
    allow('s3:GetObject', { Resource: 'arn:aws:s3:::*/reports/vehicles/acme/*' }),
    allow('s3:ListBucket', { Resource: 'arn:aws:s3:::*' }),
  );
  const put = `iam put-role-policy --role-name ${SUPPLIER} --policy-name files --policy-document`;
  await aws(put, [policy], supplierAccount);
  return arn;
};

export const becomeSupplier = async (arn: string): Promise<NodeJS.ProcessEnv> => {
  const assume = `sts assume-role --role-session-name trial --role-arn ${arn}`;
  const keys = await query(assume, 'Credentials.[AccessKeyId, SecretAccessKey, SessionToken]', [], supplierAccount);
  const [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN] = keys;
  return { ...common, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN };
};

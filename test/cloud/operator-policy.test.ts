import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../core/content/content-entries.ts';
import { prefixedTableNames, type TableId, tables } from '../../core/tables.ts';
import { tableOutput } from '../../lib/cloud/outputs.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { type CommandResult, commandLine, runCommand } from '../admin/command-line.ts';
import { type AwsServer, startAwsServer } from '../admin/deployment/aws-server.ts';
import { ITEM_IDS, itemLine, vehicleLine, vehicleRow, vehiclesCsv } from '../admin/import-files.ts';
import { requestedPermissions, sortedPermissions } from './requested-permissions.ts';
import { referenced, resourcesOf, tableNamed, templateOf } from './stack/synthesised.ts';

const STACK = 'vehicle-verification-prod';
const OTHER_NAMES = { keys: 'no', usage: 'no', vehicles: 'no', compliance: 'no', content: 'no' };
const A_COMPLIANCE = {
  registration: 'AB12CDE',
  mot: { dueDate: '2027-01-01' },
  roadTax: { paidUntil: '2027-01-01' },
  outstandingFines: 0,
};

const { engine, proxy, file, pathOf } = commandLine();

let aws: AwsServer;

beforeAll(async () => {
  aws = await startAwsServer();
  const outputs = Object.entries(engine().names).map(([id, name]) => [tableOutput(id as TableId), name]);
  aws.stacks[STACK] = Object.fromEntries(outputs);
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: aws.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: proxy().endpoint,
  });
});
afterAll(() => aws.close());

const run = (...args: readonly string[]): Promise<CommandResult> =>
  runCommand([...args, '--stack', STACK, '--region', 'eu-west-2'], OTHER_NAMES);

/** Runs a command, which must succeed, and must reject nothing and find nothing inconsistent unless expected. */
const done = async (args: readonly string[], exitCode = 0): Promise<string> => {
  const result = await run(...args);
  expect({ args, ...result }).toMatchObject({ args, exitCode });
  return result.stdout;
};

const createKey = async (): Promise<string> =>
  (JSON.parse(await done(['keys', 'create', '--name', 'A', '--plan', 'free', '--json'])) as { id: string }).id;

/** Runs every command of the CLI, with each kind of write. */
const useEveryCommand = async (restoredKeys: string): Promise<void> => {
  const id = await createKey();
  await done(['keys', 'list']);
  await done(['keys', 'usage', id]);
  await done(['keys', 'update', id, '--plan', 'standard', '--domains', 'a.example']);
  await done(['keys', 'rotate', id]);
  await done(['keys', 'revoke', id]);
  await done(['keys', 'restore', '--from', restoredKeys]);

  const vehicles = await file('v.csv', vehiclesCsv(vehicleRow()));
  await done(['import', 'vehicles', vehicles]);
  await done(['import', 'vehicles', await file('v.ndjson', vehicleLine()), '--if-newer']);
  const compliance = await file('c.ndjson', JSON.stringify(A_COMPLIANCE));
  await done(['import', 'compliance', compliance]);
  await done(['import', 'compliance', await file('newer.ndjson', JSON.stringify(A_COMPLIANCE)), '--if-newer']);
  for (const kind of ['vehicles', 'compliance']) {
    await done(['export', kind, pathOf(`${kind}.ndjson`)]);
    await done(['remove', kind, '--registration', 'AB12CDE']);
    await done(['remove', kind, vehicles]);
  }

  const [first = '', second = ''] = ITEM_IDS;
  await done(['import', 'content', await file('new.ndjson', [itemLine('a', { id: first }), itemLine('b')].join('\n'))]);
  const changes = [itemLine('moved', { id: first, domain: 'b.example' }), itemLine('b', { title: 'New' })];
  await done(['import', 'content', await file('changed.ndjson', changes.join('\n'))]);
  await done(['import', 'content', await file('third.ndjson', itemLine('c', { id: second }))]);
  await done(['export', 'content', pathOf('content.ndjson')]);
  await done(['content', 'check']);
  await damageContent();
  await done(['content', 'check'], 1);
  await done(['content', 'check', '--repair']);
  await done(['content', 'check']);
};

/** One inconsistency of each kind. */
const damageContent = async (): Promise<void> => {
  const { client, names } = engine();
  const TableName = names.content;
  const { counterKey, memberKey, slugKey, allocatorKey } = contentKeys('live');
  const drop = (Key: object) => client.send(new DeleteCommand({ TableName, Key }));
  const put = (Item: object) => client.send(new PutCommand({ TableName, Item }));
  await drop(memberKey('domain:b.example', 1));
  await drop(slugKey('a.example', 'b'));
  await drop(allocatorKey('all'));
  await put({ ...memberKey('domain:a.example', 77), member: 'nobody' });
  await put({ ...slugKey('a.example', 'free'), id: 'nobody' });
  await put({ ...counterKey('all', 0), members: 9 });
};

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

const template = await templateOf({ stage: 'prod' });
const policies = resourcesOf(template, 'AWS::IAM::ManagedPolicy');
const statements = policies.flatMap(
  ({ properties }) => (properties.PolicyDocument as { readonly Statement: readonly Statement[] }).Statement,
);
/** Each action and resource; a table by its id. */
const permissions = statements.flatMap(({ Action, Resource }) =>
  [Resource].flat().flatMap((resource) => {
    const name = typeof resource === 'string' ? resource : tableNamed(referenced(resource));
    return [Action].flat().map((action): [string, string] => [action.replace('dynamodb:', ''), name]);
  }),
);

describe('The policy for operators', () => {
  it('permits exactly the actions that the CLI requests', async () => {
    const { client, names } = engine();
    await createKey();
    const restored = prefixedTableNames(`${names.keys}-restored-`);
    await createTables(client, restored);
    const { Items: keys = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
    for (const Item of keys)
      await client.send(new PutCommand({ TableName: restored.keys, Item: { ...Item, id: 'lost' } }));
    proxy().reset();
    await useEveryCommand(restored.keys);

    const requested = requestedPermissions(proxy().calls, names);
    const permitted = permissions.filter(([, table]) => table in tables);
    // Restored tables are not part of the policy: whoever restores one may also read it.
    expect(requested).toEqual(sortedPermissions([...permitted, ['Scan', restored.keys]]));
    expect(new Set(aws.stackRequests)).toEqual(new Set([`DescribeStacks ${STACK}`]));
  });

  it('permits nothing else except reading the outputs of this CDK stack', () => {
    expect(policies).toHaveLength(1);
    expect(statements.every(({ Effect }) => Effect === 'Allow')).toBe(true);
    expect(permissions.filter(([, name]) => !(name in tables))).toEqual([
      ['cloudformation:DescribeStacks', `arn:aws:cloudformation:eu-west-2:123456789012:stack/${STACK}/*`],
    ]);
  });

  it('is attached to nobody, and is an output of the CDK stack', () => {
    const [policy] = policies;
    for (const attached of ['Users', 'Roles', 'Groups']) expect(policy?.properties[attached]).toBeUndefined();
    expect(template.Outputs.OperatorPolicy?.Value).toEqual({ Ref: policy?.id });
  });
});

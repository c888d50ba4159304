import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../../core/content/content-store.ts';
import { prefixedTableNames, tables } from '../../../core/tables.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import {
  complianceLine,
  ITEM_IDS,
  itemLine,
  vehicleLine,
  vehicleRow,
  vehiclesCsv,
} from '../../support/import-files.ts';
import { runAdminCommand, useAdmin } from '../../support/use-admin.ts';
import { tableOutputs, useAwsServer } from '../../support/use-aws-server.ts';
import { requestedPermissions, sortedPermissions } from '../requested-permissions.ts';
import { FULL, PROD, referenced, resourcesOf, statementsOf, tableNamed } from './synthesised.ts';

const STACK = 'vehicle-verification-prod';
const OTHER_NAMES = prefixedTableNames('no-');

const [policy, ...otherPolicies] = resourcesOf(PROD, 'AWS::IAM::ManagedPolicy');
const statements = policy ? statementsOf(policy) : [];
/** Each action and resource; a table by its id. */
const permissions = statements.flatMap(({ Action, Resource }) =>
  [Resource].flat().flatMap((resource) => {
    const name = typeof resource === 'string' ? resource : tableNamed(referenced(resource));
    return [Action].flat().map((action): [string, string] => [action.replace('dynamodb:', ''), name]);
  }),
);

describe('The policy for operators', () => {
  const { engine, proxy, file, pathOf } = useAdmin();
  const aws = useAwsServer();

  beforeAll(() => {
    aws.stacks[STACK] = tableOutputs(engine().names);
    Object.assign(process.env, aws.environmentWith(proxy().endpoint));
  });

  /** Runs a command, which must succeed: an inconsistency of content is an exit code of its own. */
  const done = async (args: readonly string[], exitCode = 0): Promise<string> => {
    const result = await runAdminCommand([...args, '--stack', STACK, '--region', 'eu-west-2'], OTHER_NAMES);
    expect({ args, ...result }).toMatchObject({ args, exitCode });
    return result.stdout;
  };
  const createKey = async (): Promise<string> =>
    JSON.parse(await done(['keys', 'create', '--name', 'A', '--plan', 'free', '--json'])).id;
  const importLines = async (kind: string, lines: readonly string[], ...options: readonly string[]) =>
    done(['import', kind, await file('lines.ndjson', lines.join('\n')), ...options]);

  /** One inconsistency of each kind. */
  const damageContent = async (): Promise<void> => {
    const { client, names } = engine();
    const { counterKey, memberKey, slugKey, allocatorKey } = contentKeys('live');
    for (const Key of [memberKey('domain:b.example', 1), slugKey('a.example', 'b'), allocatorKey('all')])
      await client.send(new DeleteCommand({ TableName: names.content, Key }));
    for (const Item of [
      { ...memberKey('domain:a.example', 77), member: 'nobody' },
      { ...slugKey('a.example', 'free'), id: 'nobody' },
      { ...counterKey('all', 0), members: 9 },
    ])
      await client.send(new PutCommand({ TableName: names.content, Item }));
  };

  /** A table of keys restored from a backup, with a key that is not in use any more. */
  const restoredKeys = async (): Promise<string> => {
    const { client, names } = engine();
    const restored = prefixedTableNames(`${names.keys}-restored-`);
    await createTables(client, restored);
    await createKey();
    const { Items: [key] = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
    await client.send(new PutCommand({ TableName: restored.keys, Item: { ...key, id: 'lost' } }));
    return restored.keys;
  };

  /** Every command of the CLI, with each kind of write. */
  const useEveryCommand = async (restored: string): Promise<void> => {
    const id = await createKey();
    await done(['keys', 'list']);
    await done(['keys', 'usage', id]);
    await done(['keys', 'usage', '--month', new Date().toISOString().slice(0, 'YYYY-MM'.length), '--successors']);
    await done(['keys', 'update', id, '--plan', 'standard', '--domains', 'a.example']);
    await done(['keys', 'rotate', id]);
    await done(['keys', 'revoke', id]);
    await done(['keys', 'restore', '--from', restored]);

    const vehicles = await file('v.csv', vehiclesCsv(vehicleRow()));
    await done(['import', 'vehicles', vehicles]);
    await importLines('vehicles', [vehicleLine()], '--if-newer');
    await importLines('compliance', [complianceLine({ registration: 'AB12CDE' })]);
    await done(['lookup', 'AB12CDE']);
    await done(['tables', 'check']);
    for (const kind of ['vehicles', 'compliance']) {
      await done(['export', kind, pathOf(`${kind}.ndjson`)]);
      await done(['remove', kind, '--registration', 'AB12CDE']);
      await done(['remove', kind, vehicles]);
    }

    const [first, second] = ITEM_IDS;
    await importLines('content', [itemLine('a', { id: first }), itemLine('b')]);
    const moved = itemLine('moved', { id: first, domain: 'b.example' });
    await importLines('content', [moved, itemLine('b', { title: 'New' })]);
    await importLines('content', [itemLine('c', { id: second })]);
    await done(['export', 'content', pathOf('content.ndjson')]);
    await damageContent();
    await done(['content', 'check'], 1);
    await done(['content', 'check', '--repair']);
    await done(['content', 'check']);
  };

  it('permits exactly the actions that the CLI requests', async () => {
    const restored = await restoredKeys();
    proxy().reset();
    await useEveryCommand(restored);

    const requested = requestedPermissions(proxy().calls, engine().names);
    const permitted = permissions.filter(([, table]) => table in tables);
    // Restored tables are not part of the policy: whoever restores one may also read it.
    expect(requested).toEqual(sortedPermissions([...permitted, ['Scan', restored]]));
    expect(new Set(aws.stackRequests)).toEqual(new Set([`DescribeStacks ${STACK}`]));
  });

  it('permits nothing else except reading the outputs of this CDK stack', () => {
    expect(otherPolicies).toEqual([]);
    expect(statements.every(({ Effect }) => Effect === 'Allow')).toBe(true);
    expect(permissions.filter(([, name]) => !(name in tables))).toEqual([
      ['cloudformation:DescribeStacks', `arn:aws:cloudformation:eu-west-2:123456789012:stack/${STACK}/*`],
    ]);
  });

  it('permits publishing metrics in the namespace of the stage where imports are expected, and nothing more', () => {
    const [more] = resourcesOf(FULL, 'AWS::IAM::ManagedPolicy').map(statementsOf);
    expect(more).toEqual([
      ...statements,
      {
        Effect: 'Allow',
        Action: 'cloudwatch:PutMetricData',
        Resource: '*',
        Condition: { StringEquals: { 'cloudwatch:namespace': 'VehicleVerification/prod' } },
      },
    ]);
  });

  it('is attached to nobody, and is an output of the CDK stack', () => {
    for (const attached of ['Users', 'Roles', 'Groups']) expect(policy?.Properties).not.toHaveProperty(attached);
    expect(PROD.Outputs.OperatorPolicy?.Value).toEqual({ Ref: policy?.id });
  });
});

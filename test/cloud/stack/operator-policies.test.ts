import { readFileSync } from 'node:fs';
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../../core/tables.ts';
import { createTables } from '../../../local/engine/create-tables.ts';
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
import { requestedPermissions } from '../requested-permissions.ts';
import { FULL, LOADS, PROD, permissionsIn, resourcesOf, statementsOf } from './templates.ts';

const STACK = 'vehicle-verification-prod';
const OTHER_NAMES = prefixedTableNames('no-');

const METRICS = JSON.stringify({ StringEquals: { 'cloudwatch:namespace': 'VehicleVerification/prod/ByHand' } });
const TAGS = JSON.stringify({
  StringEquals: { 'aws:ResourceTag/service': 'vehicle-verification', 'aws:ResourceTag/stage': 'prod' },
});

const OUTPUTS = ['OperatorPolicy', 'KeysPolicy', 'LoadsPolicy', 'SupportPolicy'];
/** The statements of the policy that an output names. */
const statementsIn = (output: string, stack = PROD) => {
  const value = stack.Outputs[output]?.Value as { readonly Ref?: string } | undefined;
  const policy = resourcesOf(stack, 'AWS::IAM::ManagedPolicy').find(({ id }) => id === value?.Ref);
  if (policy === undefined) throw new Error(`there is no policy for the output ${output}`);
  return statementsOf(policy);
};
const permissionsOf = (output: string, stack = PROD) => permissionsIn(statementsIn(output, stack));
const isOnTable = (permission: string): boolean => permission.includes(' dynamodb:');

describe('The policies for operators', () => {
  const { engine, proxy, file, pathOf } = useAdmin();
  const aws = useAwsServer();

  beforeAll(() => {
    aws.stacks[STACK] = tableOutputs(engine().names);
    Object.assign(process.env, aws.environmentWith(proxy().endpoint));
  });

  const done = async (args: readonly string[]): Promise<string> => {
    const target = ['--stack', STACK, '--region', 'eu-west-2'];
    const result = await runAdminCommand([...args, ...target], OTHER_NAMES, { folder: pathOf() });
    expect({ args, ...result }).toMatchObject({ args, exitCode: 0 });
    return result.stdout;
  };
  const createKey = async (): Promise<string> =>
    JSON.parse(await done(['keys', 'create', '--name', 'A', '--plan', 'free', '--json'])).id;
  const importLines = async (kind: string, lines: readonly string[], ...options: readonly string[]) =>
    done(['import', kind, await file('lines.ndjson', lines.join('\n')), ...options]);

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

  /** Permissions on tables of the test's own. */
  type Others = readonly string[];

  const useReads = async (): Promise<Others> => {
    const id = await createKey();
    const entry = { prefix: 'vehicles/', import: 'vehicles', expect: '26h' };
    aws.stacks[STACK] = { ...aws.stacks[STACK], IntakeSettings: JSON.stringify({ entries: [entry] }) };
    proxy().reset();
    await done(['keys', 'list']);
    await done(['keys', 'usage', id]);
    await done(['lookup', 'AB12CDE']);
    return [];
  };

  const useKeys = async (): Promise<Others> => {
    const restored = await restoredKeys();
    proxy().reset();
    const id = await createKey();
    await done(['keys', 'list']);
    await done(['keys', 'usage', id]);
    await done(['keys', 'usage', '--month', new Date().toISOString().slice(0, 'YYYY-MM'.length), '--by-customer']);
    await done(['keys', 'update', id, '--plan', 'standard', '--domains', 'a.example']);
    await done(['keys', 'rotate', id]);
    await done(['keys', 'revoke', id]);
    await done(['keys', 'restore', '--from', restored]);
    // Whoever restores a table may also read it.
    return [`${restored} Scan`];
  };

  /** Every other command, with each kind of write. */
  const useLoads = async (): Promise<Others> => {
    proxy().reset();
    const vehicles = await file('v.csv', vehiclesCsv(vehicleRow()));
    await done(['import', 'vehicles', vehicles]);
    await done(['undo', `${vehicles}.changes.ndjson`]);
    await importLines('vehicles', [vehicleLine()], '--if-newer');
    await importLines('compliance', [complianceLine({ registration: 'AB12CDE' })]);
    await done(['lookup', 'AB12CDE']);
    await done(['tables', 'check']);
    for (const kind of ['vehicles', 'compliance']) {
      await done(['export', kind, pathOf(`${kind}.ndjson`)]);
      await done(['remove', kind, '--registration', 'AB12CDE']);
      await done(['remove', kind, vehicles]);
    }
    await done(['erase', vehicles]);
    await done(['erase', '--from', engine().names.vehicles]);
    await done(['erase', '--undo', '--registration', 'AB12CDE']);

    const [first, second] = ITEM_IDS;
    await importLines('content', [itemLine('a', { id: first }), itemLine('b')]);
    const moved = itemLine('moved', { id: first, domain: 'b.example' });
    await importLines('content', [moved, itemLine('b', { title: 'New' })]);
    await importLines('content', [itemLine('c', { id: second })]);
    await done(['export', 'content', pathOf('content.ndjson')]);
    return [];
  };

  it.each([
    ['KeysPolicy', useKeys],
    ['LoadsPolicy', useLoads],
    ['SupportPolicy', useReads],
  ])('%s permits exactly the actions that its commands request', async (output, use) => {
    const others = await use();
    const permitted = permissionsOf(output).filter(isOnTable);
    const expected = [...permitted.map((permission) => permission.replace('dynamodb:', '')), ...others];
    expect(requestedPermissions(proxy().calls, engine().names)).toEqual(expected.sort());
    expect(new Set(aws.stackRequests)).toEqual(new Set([`DescribeStacks ${STACK}`]));
  });

  it('OperatorPolicy permits what KeysPolicy and LoadsPolicy permit together', () => {
    const narrow = ['KeysPolicy', 'LoadsPolicy'].flatMap((output) => permissionsOf(output));
    expect(permissionsOf('OperatorPolicy')).toEqual([...new Set(narrow)].sort());
  });

  it.each(OUTPUTS)('%s permits nothing else except reading the outputs of this CDK stack', (output) => {
    // And the policy of whoever is on call.
    expect(resourcesOf(PROD, 'AWS::IAM::ManagedPolicy')).toHaveLength(OUTPUTS.length + 1);
    expect(permissionsOf(output).filter((permission) => !isOnTable(permission))).toEqual([
      `arn:aws:cloudformation:eu-west-2:123456789012:stack/${STACK}/* cloudformation:DescribeStacks`,
    ]);
  });

  const PUBLISHING = `* cloudwatch:PutMetricData if ${METRICS}`;
  it.each([
    ['publishing metrics of loads by hand where imports are expected', FULL, [PUBLISHING]],
    [
      'that and handling files of the intake where there is one',
      LOADS,
      [
        PUBLISHING,
        ...['IntakeBucket s3:ListBucket', 'IntakeBucket s3:ListBucketVersions'],
        ...['IntakeBucket/* s3:GetObject', 'IntakeBucket/* s3:GetObjectVersion'],
        ...['changes', 'control/loaded'].map((folder) => `IntakeBucket/${folder}/* s3:DeleteObject`),
        ...['compliance', 'vehicles/acme', 'vehicles/acme-changes'].flatMap((folder) =>
          ['DeleteObject', 'PutObject'].map((action) => `IntakeBucket/${folder}/* s3:${action}`),
        ),
      ],
    ],
  ])('Those that load data, and no others, permit %s', (_what, stack, expected) => {
    for (const output of OUTPUTS) {
      const added = permissionsOf(output, stack).filter((permission) => !permissionsOf(output).includes(permission));
      const loads = ['OperatorPolicy', 'LoadsPolicy'].includes(output);
      expect({ output, added: added.toSorted() }).toEqual({ output, added: loads ? expected.toSorted() : [] });
    }
  });
});

/** The commands of AWS's CLI that the runbook, its functions and the section on moving an alias have. */
const [, moveAlias = ''] =
  /^##+ Move an alias by hand$(.*?)^```$/ms.exec(readFileSync('docs/operations.md', 'utf8')) ?? [];
const texts = ['docs/runbook.md', 'docs/logs.sh', '.ci/move-alias'].map((file) => readFileSync(file, 'utf8'));
/** `logs:FilterLogEvents` for `aws logs filter-log-events`. Files of the intake are for whoever has LoadsPolicy. */
const needed = [...[moveAlias, ...texts].join('\n').matchAll(/\baws ([a-z0-9]+) ([a-z0-9-]+) /g)]
  .filter(([, service]) => service !== 's3')
  .map(
    ([, service, command = '']) =>
      `${service}:${command.replaceAll(/(?:^|-)(\w)/g, (_, first) => first.toUpperCase())}`,
  );

/** What CloudWatch's console asks to show a dashboard and its graphs. */
const DASHBOARD = ['cloudwatch:GetDashboard', 'cloudwatch:GetMetricData'];

describe('OnCallPolicy', () => {
  const onCall = statementsIn('OnCallPolicy').flatMap(({ Action }) => [Action].flat());

  it('permits the commands of the runbook and the dashboard, and nothing else', () => {
    expect([...new Set([...needed, ...DASHBOARD])].sort()).toEqual([...onCall].sort());
  });

  it('permits nothing on items, and changes only of what has the tags of the stage, or of the probe', () => {
    const reading = / \w+:(Get|List|Describe|BatchGet|Filter|StartQuery)/;
    expect(permissionsOf('OnCallPolicy').filter((permission) => !reading.test(permission))).toEqual([
      `* lambda:UpdateAlias if ${TAGS}`,
      'ProbeEveryMinute events:EnableRule',
      'ProbeFunction lambda:UpdateFunctionConfiguration',
    ]);
    expect(onCall.filter((action) => /^(dynamodb|s3):/.test(action))).toEqual([]);
  });

  it('is attached to nobody, as every policy for people', () => {
    for (const { Properties } of resourcesOf(FULL, 'AWS::IAM::ManagedPolicy')) {
      for (const attached of ['Users', 'Roles', 'Groups']) expect(Properties).not.toHaveProperty(attached);
    }
  });
});

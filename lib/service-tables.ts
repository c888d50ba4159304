import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import {
  type Attribute,
  AttributeType,
  Billing,
  type ITableV2,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, Policy, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type KeyAttribute, type TableDescription, type TableId, tables } from '../core/tables.ts';
import { endpoints } from '../functions/endpoints/table.ts';
import { grantedActions } from '../functions/http/endpoint-definition.ts';
import { allow } from './permissions.ts';
import type { StageSettings } from './stage-settings.ts';

const ids = Object.keys(tables) as TableId[];

const attribute = ({ name, type }: KeyAttribute): Attribute => ({
  name,
  type: type === 'N' ? AttributeType.NUMBER : AttributeType.STRING,
});

export type TableGrants = Readonly<Partial<Record<TableId, readonly string[]>>>;

type Access = 'Read' | 'Write';

/** Whether an endpoint reads or writes a table. Imports do not count, because the CLI retries throttled writes. */
const isAccessed = (id: TableId, access: Access): boolean =>
  Object.values(endpoints)
    .flatMap((endpoint) => grantedActions(endpoint)[id] ?? [])
    .some((action) => /^(Put|Update|Delete)/.test(action) === (access === 'Write'));

/** The tables of core/tables.ts: on demand, encrypted, with point-in-time recovery (35 days). */
export class ServiceTables extends Construct {
  /** The tables that the stage uses: `named` where there is one, otherwise `own`. */
  readonly byId: Readonly<Record<TableId, ITableV2>>;
  /** The stack's own tables. They stay unchanged when the stage uses others. */
  private readonly own: Readonly<Record<TableId, ITableV2>>;
  /** The tables that the setting `tables` names. */
  private readonly named: Readonly<Partial<Record<TableId, ITableV2>>>;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    const created = ids.map((tableId) => [tableId, this.create(tableId, settings)] as const);
    this.own = Object.fromEntries(created) as Record<TableId, ITableV2>;
    this.named = Object.fromEntries(
      Object.entries(settings.tables ?? {}).map(([tableId, name]) => [
        tableId,
        TableV2.fromTableName(this, `named-${tableId}`, name),
      ]),
    );
    this.byId = { ...this.own, ...this.named };
  }

  /** The stack's own tables and those that the setting `tables` names. */
  get all(): readonly ITableV2[] {
    return [...Object.values(this.own), ...Object.values(this.named)];
  }

  /** Permits exactly these actions on the stack's own tables. */
  statements(actions: TableGrants): PolicyStatement[] {
    return this.statementsOn(this.own, actions).map(([, statement]) => statement);
  }

  /** Permits exactly these actions on the tables that the setting `tables` names. */
  statementsOnNamed(actions: TableGrants): PolicyStatement[] {
    return this.statementsOn(this.named, actions).map(([, statement]) => statement);
  }

  /**
   * Permits a role the actions on the tables that the setting `tables` names, besides those on the stack's own: during
   * a deployment versions and builds that use either run. Each permission is a resource of its own, which the
   * deployment that removes it deletes at the end.
   */
  permitNamed(role: IRole, actions: TableGrants): void {
    for (const [name, statement] of this.statementsOn(this.named, actions)) {
      role.attachInlinePolicy(new Policy(role, name, { statements: [statement] }));
    }
  }

  private statementsOn(deployed: Readonly<Partial<Record<TableId, ITableV2>>>, actions: TableGrants) {
    return (Object.entries(actions) as [TableId, readonly string[]][]).flatMap(([id, actionNames]) => {
      const table = deployed[id];
      if (table === undefined) return [];
      const names = actionNames.map((name) => `dynamodb:${name}`);
      return [[table.tableName, allow(names, [table.tableArn])] as const];
    });
  }

  throttles(access: Access) {
    return ids
      .filter((table) => isAccessed(table, access))
      .map((table) => ({
        table,
        label: `${table}, ${access.toLowerCase()}s`,
        metric: new Metric({
          namespace: 'AWS/DynamoDB',
          metricName: `${access}ThrottleEvents`,
          dimensionsMap: { TableName: this.byId[table].tableName },
          statistic: 'Sum',
          period: Duration.minutes(1),
        }),
      }));
  }

  private create(id: TableId, { keepsData, warmThroughput }: StageSettings): ITableV2 {
    const { partitionKey, sortKey, timeToLiveAttribute }: TableDescription = tables[id];
    return new TableV2(this, id, {
      partitionKey: attribute(partitionKey),
      ...(sortKey && { sortKey: attribute(sortKey) }),
      ...(timeToLiveAttribute && { timeToLiveAttribute }),
      billing: Billing.onDemand(),
      ...(warmThroughput?.[id] && { warmThroughput: warmThroughput[id] }),
      // An AWS managed key costs 0.03 USD per 10,000 KMS requests, and whoever may read the table may use it.
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      // Not `RETAIN_ON_UPDATE_OR_DELETE`: when a first deployment fails, its rollback would try to delete the protected
      // tables, and fail too. So these tables are left over, and empty.
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      deletionProtection: keepsData,
      // With it DynamoDB also keeps the last state of a deleted table. The counters of `usage` are the invoice.
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    }) as ITableV2;
  }
}

import { RemovalPolicy } from 'aws-cdk-lib';
import { type Attribute, AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type KeyAttribute, type TableDescription, type TableId, tables } from '../../functions/tables.ts';
import type { StageSettings } from './stage-settings.ts';

const attribute = ({ name, type }: KeyAttribute): Attribute => ({
  name,
  type: type === 'N' ? AttributeType.NUMBER : AttributeType.STRING,
});

/**
 * The tables that may be copied to further regions: they are only ever replaced whole by an operator's import. The others
 * must stay in one region, because replication is asynchronous and the last writer wins. A counter raised in two regions
 * would admit twice the limit, a slug could be claimed twice, a list's counters would drift from its members, and a
 * revoked key would go on working elsewhere.
 */
const REPLICATED: readonly TableId[] = ['vehicles', 'compliance'];

/** Every table of functions/tables.ts: billed by request, encrypted, restorable to any second of the last 35 days. */
export class ServiceTables extends Construct {
  readonly byId: Readonly<Record<TableId, TableV2>>;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.byId = {
      keys: this.table('keys', settings),
      usage: this.table('usage', settings),
      vehicles: this.table('vehicles', settings),
      compliance: this.table('compliance', settings),
      content: this.table('content', settings),
    };
  }

  private table(id: TableId, { keepsData, replicaRegions }: StageSettings): TableV2 {
    const { partitionKey, sortKey, timeToLiveAttribute }: TableDescription = tables[id];
    const protection = {
      deletionProtection: keepsData,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    };
    return new TableV2(this, id, {
      partitionKey: attribute(partitionKey),
      ...(sortKey && { sortKey: attribute(sortKey) }),
      ...(timeToLiveAttribute && { timeToLiveAttribute }),
      billing: Billing.onDemand(),
      // The key that AWS manages: free of charge, and its use is recorded in CloudTrail.
      encryption: TableEncryptionV2.awsManagedKey(),
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      ...protection,
      replicas: REPLICATED.includes(id) ? replicaRegions.map((region) => ({ region, ...protection })) : [],
    });
  }
}

import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type Endpoint, endpoints } from '../../functions/endpoints.ts';
import type { TableId } from '../../functions/tables.ts';
import type { ServiceTables } from './service-tables.ts';

type Access = 'Read' | 'Write';

/** Throttled reads or writes of one table. */
export interface TableThrottle {
  readonly id: string;
  readonly label: string;
  readonly says: string;
  readonly metric: Metric;
}

const WRITES = /^(Put|Update|Delete)/;

/** How the functions use a table; writes of an import need no alarm, the CLI waits and tries again. */
const accessOf = (id: TableId): Access[] => {
  const actions = (Object.values(endpoints) as Endpoint[]).flatMap((row) => row.tables[id] ?? []);
  const reads: Access[] = actions.some((action) => !WRITES.test(action)) ? ['Read'] : [];
  return actions.some((action) => WRITES.test(action)) ? [...reads, 'Write'] : reads;
};

/** A metric for each way in which the functions use each table. */
export const tableThrottles = ({ byId }: ServiceTables): TableThrottle[] =>
  (Object.keys(byId) as TableId[]).flatMap((id) =>
    accessOf(id).map((access) => ({
      id: `${access}Throttles-${id}`,
      label: `${id}, ${access.toLowerCase()}s`,
      says: `DynamoDB throttles ${access.toLowerCase()}s of the table ${id}.`,
      metric: new Metric({
        namespace: 'AWS/DynamoDB',
        metricName: `${access}ThrottleEvents`,
        dimensionsMap: { TableName: byId[id].tableName },
        statistic: 'Sum',
        period: Duration.minutes(1),
      }),
    })),
  );

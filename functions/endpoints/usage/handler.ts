import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { firstHour, usageReport } from '../../../core/access/usage-report.ts';
import { usageTable } from '../../../core/access/usage-table.ts';
import { serve } from '../../http/stack.ts';
import { noInput } from '../../http/validation.ts';
import { endpoint } from './endpoint.ts';

/** The same for every kind of key, because the requests of all keys are counted in one table. */
const usageData = (db: DynamoDBDocumentClient, tables: { readonly usage: string }) => {
  const data = { usage: usageTable(db, tables.usage) };
  return () => data;
};

export const handler = serve({ endpoint, data: usageData, input: noInput }, async ({ caller, usage, now }) => ({
  body: usageReport(caller, await usage.counts(caller.key.id, firstHour(now)), now),
}));

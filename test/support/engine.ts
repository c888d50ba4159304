import { randomUUID } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../core/aws/database.ts';
import { prefixedTableNames } from '../../core/tables.ts';
import { createTables } from '../../local/engine/create-tables.ts';
import { startEmbeddedEngine } from '../../local/engine/embedded.ts';
import { localEnvironment } from '../../local/environment.ts';
import { PLANS_VARIABLE } from './records.ts';

/** Whether the tests run on an engine that was started for all of them (`test/outside/dynamodb-local`). */
export const sharedEndpoint = (): string | undefined => process.env.TEST_DYNAMODB_ENDPOINT || undefined;

/** A client for an engine on this machine; the caller destroys it. */
export const clientOf = (
  endpoint: string,
  config: Pick<DynamoDBClientConfig, 'maxAttempts'> = {},
): DynamoDBDocumentClient =>
  documentClient(
    new DynamoDBClient({
      ...config,
      endpoint,
      region: 'eu-west-2',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      requestHandler: { httpAgent: { maxSockets: 256, keepAlive: true } },
    }),
  );

/** Starts an embedded engine, or joins the shared one, and makes tables that no other caller has. */
export const startEngine = async () => {
  const shared = sharedEndpoint();
  const engine = shared === undefined ? await startEmbeddedEngine({ port: 0 }) : undefined;
  const endpoint = engine?.endpoint ?? shared ?? '';
  const client = clientOf(endpoint);
  const names = prefixedTableNames(`test-${randomUUID().slice(0, 8)}-`);
  await createTables(client, names);
  return {
    endpoint,
    /** Takes raw commands too, whose attribute values it leaves as they are. */
    client,
    names,
    /** Ends the client and the engine, or drops the tables when the engine is shared with other tests. */
    stop: async (): Promise<void> => {
      if (engine === undefined) {
        for (const TableName of Object.values(names)) await client.send(new DeleteTableCommand({ TableName }));
      }
      client.destroy();
      await engine?.close();
    },
  };
};

export type TestEngine = Awaited<ReturnType<typeof startEngine>>;

/** The environment in which the functions work on this engine. */
export const environmentOf = ({ endpoint, names }: Pick<TestEngine, 'endpoint' | 'names'>): Record<string, string> => ({
  ...localEnvironment(endpoint, names),
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  ...PLANS_VARIABLE,
});

import pLimit from 'p-limit';
import { recentMap } from '../../core/runtime/recent-map.ts';
import { withKms } from '../kms.ts';
import { openStore } from './dynalite-store.ts';
import { type PerformOperation, type ServerAddress, startProtocolServer } from './http-server.ts';
import type { EngineResponse } from './protocol.ts';
import { writeTransaction } from './transactions.ts';

/** Transactions that are remembered, more than come while an SDK sends one again. */
const MAX_APPLIED = 10_000;

interface EmbeddedEngineOptions extends ServerAddress {
  /** An existing folder. If absent, the data is in memory and is lost when the engine ends. */
  readonly dataDirectory?: string | undefined;
  /** Wraps the operations, for measurements. */
  readonly intercept?: (perform: PerformOperation) => PerformOperation;
}

/**
 * Starts a DynamoDB with transactions in this process, and the KMS of the lookup log at the same address. Closing it
 * closes all connections, lets running operations finish and leaves all data in the directory.
 * @throws the listen error (`EADDRINUSE`), or the error of `openStore`
 */
export const startEmbeddedEngine = async (options: EmbeddedEngineOptions) => {
  const { dataDirectory, intercept = (perform) => perform, ...address } = options;
  const store = await openStore(dataDirectory);
  const applied = recentMap<EngineResponse>(MAX_APPLIED);
  // One operation at a time, so that every transaction is isolated.
  const oneAtATime = pLimit(1);
  const perform: PerformOperation = (operation, input) =>
    oneAtATime(async () => {
      if (operation === 'TransactWriteItems') return writeTransaction(store, applied, input);
      return store.perform(operation, input);
    });
  try {
    const server = await startProtocolServer(withKms(intercept(perform)), address);
    const close = async () => {
      await server.close();
      await oneAtATime(store.close);
    };
    return { endpoint: server.origin, close };
  } catch (error) {
    await store.close();
    throw error;
  }
};

export type Engine = Awaited<ReturnType<typeof startEmbeddedEngine>>;

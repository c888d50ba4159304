import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import pLimit from 'p-limit';
import { openStore, type Store } from './dynalite-store.ts';
import { createProtocolServer, type PerformOperation } from './http-server.ts';
import { requestTokens } from './request-tokens.ts';
import { readTransaction, writeTransaction } from './transactions.ts';

/** A running DynamoDB. */
export interface Engine {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** Where the embedded engine listens and stores its data. */
export interface EmbeddedEngineOptions {
  /** An existing folder. If absent, the data is in memory and is lost when the engine ends. */
  readonly dataDirectory?: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** Further host names that requests may use, in lower case. */
  readonly allowedHosts?: readonly string[];
  /** Stands before the operations, for measurements. */
  readonly intercept?: (perform: PerformOperation) => PerformOperation;
}

/** Performs dynalite's operations, and the transactions that this engine adds. */
const operationsOn = (store: Store): PerformOperation => {
  const tokens = requestTokens();
  return async (operation, input) => {
    if (operation === 'TransactWriteItems') return writeTransaction(store, tokens, input);
    if (operation === 'TransactGetItems') return readTransaction(store, input);
    return store.perform(operation, input);
  };
};

/**
 * Starts a DynamoDB with transactions in this process. Only this machine reaches it unless another host is given. Closing it
 * closes all connections, lets running requests finish and leaves all data in the directory.
 * @throws the listen error (`EADDRINUSE`), or that of the store; nothing is left running then
 */
export const startEmbeddedEngine = async ({
  port,
  host = '127.0.0.1',
  allowedHosts = [],
  dataDirectory,
  intercept,
}: EmbeddedEngineOptions): Promise<Engine> => {
  const store = await openStore(dataDirectory);
  const performOne = operationsOn(store);
  // One operation at a time, so that every transaction is isolated.
  const oneAtATime = pLimit(1);
  const perform: PerformOperation = (...request) => oneAtATime(() => performOne(...request));
  const server = createProtocolServer([host, ...allowedHosts], intercept ? intercept(perform) : perform);
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    endpoint: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await oneAtATime(store.close);
    },
  };
};

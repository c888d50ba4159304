import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openStore, type Store } from './dynalite-store.ts';
import { createProtocolServer, type PerformOperation } from './http-server.ts';
import { requestTokens } from './request-tokens.ts';
import { createSharedExclusiveLock, type SharedExclusiveLock } from './shared-exclusive-lock.ts';
import { withConflicts } from './transaction-conflicts.ts';
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
  /**
   * Resolves when a transaction has taken its time. If given, requests that meet it on an item meanwhile are rejected as by
   * DynamoDB. If absent, they wait for each other.
   */
  readonly transactionTime?: () => Promise<unknown>;
}

/** Performs dynalite's operations concurrently, and those that this engine adds under the exclusive lock. */
const operationsOn = (store: Store, lock: SharedExclusiveLock): PerformOperation => {
  const tokens = requestTokens();
  return (operation, input) => {
    if (operation === 'TransactWriteItems') return lock.exclusive(() => writeTransaction(store, tokens, input));
    if (operation === 'TransactGetItems') return lock.exclusive(() => readTransaction(store, input));
    return lock.shared(() => store.perform(operation, input));
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
  transactionTime,
}: EmbeddedEngineOptions): Promise<Engine> => {
  const store = await openStore(dataDirectory);
  const lock = createSharedExclusiveLock();
  const perform = operationsOn(store, lock);
  const performOperation = transactionTime ? withConflicts(store, perform, transactionTime) : perform;
  const server = createProtocolServer([host, ...allowedHosts], performOperation);
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
      await lock.exclusive(store.close);
    },
  };
};

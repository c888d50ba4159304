import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openStore, type StoreOptions } from './dynalite-store.ts';
import { answerOperations } from './engine-operations.ts';
import { createHttpFront } from './http-front.ts';
import { createRequestGate } from './request-gate.ts';

/** A DynamoDB that runs, and how to end it. */
export interface Engine {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** Where the embedded engine listens and keeps its data. */
export interface EmbeddedEngineOptions extends StoreOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly host?: string;
  /** Hosts besides this machine's own that a request may name, in lower case. */
  readonly allowedHosts?: readonly string[];
  /** Left out, the data is in memory and ends with the engine. */
  readonly dataDirectory?: string;
}

/**
 * A DynamoDB in this process, with transactions, reachable from this machine only unless another host is given.
 * Closing it breaks open connections, lets running requests finish and leaves all data in the directory.
 * @throws the listen error (`EADDRINUSE`), or UnusableDataDirectory; nothing is left running then
 */
export const startEmbeddedEngine = async ({
  port,
  host = '127.0.0.1',
  allowedHosts = [],
  ...storeOptions
}: EmbeddedEngineOptions): Promise<Engine> => {
  const store = await openStore(storeOptions);
  const gate = createRequestGate();
  const server = createHttpFront([host, ...allowedHosts], answerOperations(store, gate));
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    await store.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await gate.exclusive(store.close);
  };
  return {
    endpoint: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};

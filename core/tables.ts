/** The DynamoDB tables, described once for the stack, the local engine and the functions. Imports no SDK. */

/** An attribute that is part of a primary key, with its DynamoDB type: `S` string, `N` number. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

export interface TableDescription {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  /** Unix seconds. DynamoDB removes the item some time after, and nothing relies on the removal. */
  readonly timeToLiveAttribute?: string;
}

export const tables = {
  /** API keys by their id. A record has the hash of its key, not the key. Only records of the probe's keys expire. */
  keys: {
    partitionKey: { name: 'id', type: 'S' },
    timeToLiveAttribute: 'expiresAt',
  },
  /** The counters of keys, a record for each window with requests, and those of allowances; the times of finished loads. */
  usage: {
    partitionKey: { name: 'keyId', type: 'S' },
    sortKey: { name: 'windowStart', type: 'N' },
    timeToLiveAttribute: 'expiresAt',
  },
  /** A vehicle with its policies, or its erasure, under its `RegistrationKey`. */
  vehicles: { partitionKey: { name: 'registration', type: 'S' } },
  /** MOT, road tax and fines of a vehicle, or its erasure, under its `RegistrationKey`. */
  compliance: { partitionKey: { name: 'registration', type: 'S' } },
  /** Content items, their slugs, the members and counters of their lists, and the records of idempotent creations. */
  content: {
    partitionKey: { name: 'pk', type: 'S' },
    sortKey: { name: 'sk', type: 'S' },
    timeToLiveAttribute: 'expiresAt',
  },
} as const satisfies Record<string, TableDescription>;

export type TableId = keyof typeof tables;

/** The environment variable of a function with the name of a table. */
export const tableVariable = (id: TableId): string => `${id.toUpperCase()}_TABLE`;

export type TableNames = Readonly<Record<TableId, string>>;

export const prefixedTableNames = (prefix: string): TableNames =>
  Object.fromEntries(Object.keys(tables).map((id) => [id, `${prefix}${id}`])) as TableNames;

/** The tables of the service on this machine: `npm start` creates them, and the CLI uses them. */
export const LOCAL_TABLE_NAMES = prefixedTableNames('local-');

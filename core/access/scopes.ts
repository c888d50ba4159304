/** What a key may do. A key has these scopes unless it was created with others (docs/contract.md#keys-and-plans). */
export const SCOPES = ['vehicles:read', 'compliance:read', 'content:read', 'content:write'] as const;

/** Every scope. `vehicles:status` permits less than `vehicles:read`, so a key with all of `SCOPES` does not need it. */
export const KEY_SCOPES = [...SCOPES, 'vehicles:status'] as const;

export type Scope = (typeof KEY_SCOPES)[number];

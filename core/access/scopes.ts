/** What a key may do. A key has all scopes unless it was created with fewer (docs/contract.md#keys-and-plans). */
export const SCOPES = ['vehicles:read', 'compliance:read', 'content:read', 'content:write'] as const;

export type Scope = (typeof SCOPES)[number];

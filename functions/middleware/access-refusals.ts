/** Why admission says no (contract.md "Keys and plans"). */
import type { Scope } from '../access/scopes.ts';
import { Refusal } from '../refusal.ts';

/** Missing, malformed, unknown, expired and revoked keys look the same from outside. */
export class Unauthorized extends Refusal {
  override readonly name = 'Unauthorized';
  readonly code = 'UNAUTHORIZED';
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };
  constructor() {
    super('Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".');
  }
}

export class ScopeMissing extends Refusal {
  override readonly name = 'ScopeMissing';
  readonly code = 'SCOPE_MISSING';
  constructor(scope: Scope) {
    super(`This API key lacks the scope ${scope}.`);
  }
}

export class RateLimited extends Refusal {
  override readonly name = 'RateLimited';
  readonly code = 'RATE_LIMITED';
  override readonly headers: { readonly 'Retry-After': string };
  constructor(requestsPerWindow: number, retryAfterSeconds: number) {
    super(`The plan allows ${requestsPerWindow} requests a minute; try again in ${retryAfterSeconds} s.`);
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

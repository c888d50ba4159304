/** Why a path or method is refused (contract.md "Addresses and versions"). */
import { Refusal } from '../runtime/refusal.ts';

export class RouteNotFound extends Refusal {
  override readonly name = 'RouteNotFound';
  readonly code = 'ROUTE_NOT_FOUND';
  constructor() {
    super('The service has nothing at this path; paths begin with /v1.');
  }
}

export class MethodNotAllowed extends Refusal {
  override readonly name = 'MethodNotAllowed';
  readonly code = 'METHOD_NOT_ALLOWED';
  override readonly headers: { readonly Allow: string };
  constructor(allowed: readonly string[]) {
    const list = [...new Set(allowed)].join(', ');
    super(`This path takes ${list}.`);
    this.headers = { Allow: list };
  }
}

/** Why a path or method is refused (contract.md "Addresses and versions"). */
import { Refusal } from '../refusal.ts';

export class RouteNotFound extends Refusal {
  override readonly name = 'RouteNotFound';
  readonly code = 'ROUTE_NOT_FOUND';
  /** @param remedy what to change in the path, where that is known */
  constructor(remedy = 'check it against the reference') {
    super(`The service has nothing at this path; ${remedy}.`);
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

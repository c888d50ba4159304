/** Why an input is refused (contract.md "Errors"). */
import { type Fault, MAX_NAMED_FAULTS, Refusal } from '../refusal.ts';

const summary = (count: number): string => {
  if (count === 1) return 'The request has 1 validation issue; see errors.';
  if (count <= MAX_NAMED_FAULTS) return `The request has ${count} validation issues; see errors.`;
  return `The request has over ${MAX_NAMED_FAULTS} validation issues; errors names the first ${MAX_NAMED_FAULTS}.`;
};

export class ValidationFailed extends Refusal {
  override readonly name = 'ValidationFailed';
  readonly code = 'VALIDATION_FAILED';
  override readonly faults: readonly Fault[];

  constructor(issues: readonly Fault[]) {
    super(summary(issues.length));
    this.faults = issues.slice(0, MAX_NAMED_FAULTS);
  }
}

export class MalformedJson extends Refusal {
  override readonly name = 'MalformedJson';
  readonly code = 'MALFORMED_JSON';
  constructor() {
    super('The body is not well-formed JSON in UTF-8.');
  }
}

export class UnsupportedContentType extends Refusal {
  override readonly name = 'UnsupportedContentType';
  readonly code = 'UNSUPPORTED_CONTENT_TYPE';
  constructor() {
    super('Send the body in UTF-8, with "Content-Type: application/json".');
  }
}

export class BodyTooLarge extends Refusal {
  override readonly name = 'BodyTooLarge';
  readonly code = 'BODY_TOO_LARGE';
  constructor(bytes: number, limit: number) {
    super(`The body has ${bytes} bytes; at most ${limit} are accepted.`);
  }
}

/** More entries than the caller's plan allows in one request. */
export class BulkTooLarge extends Refusal {
  override readonly name = 'BulkTooLarge';
  readonly code = 'BULK_TOO_LARGE';
  override readonly faults: readonly Fault[];
  constructor(field: string, count: number, limit: number) {
    const detail = `${count} ${field} were sent; the plan allows at most ${limit} in one request`;
    super(`${detail}.`);
    this.faults = [{ pointer: `/${field}`, detail }];
  }
}

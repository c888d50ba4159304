/** Why an input is refused (contract.md "Errors"). */
import { type Fault, Refusal } from '../runtime/refusal.ts';

export class ValidationFailed extends Refusal {
  override readonly name = 'ValidationFailed';
  readonly code = 'VALIDATION_FAILED';
  override readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(
      faults.length === 1
        ? 'The request has a fault; see errors.'
        : `The request has ${faults.length} faults; see errors.`,
    );
    this.faults = faults;
  }
}

export class MalformedJson extends Refusal {
  override readonly name = 'MalformedJson';
  readonly code = 'MALFORMED_JSON';
  constructor() {
    super('The body is not well-formed JSON.');
  }
}

export class UnsupportedContentType extends Refusal {
  override readonly name = 'UnsupportedContentType';
  readonly code = 'UNSUPPORTED_CONTENT_TYPE';
  constructor() {
    super('Send the body with "Content-Type: application/json".');
  }
}

export class BodyTooLarge extends Refusal {
  override readonly name = 'BodyTooLarge';
  readonly code = 'BODY_TOO_LARGE';
  constructor(bytes: number, limit: number) {
    super(`The body has ${bytes} bytes; at most ${limit} are accepted.`);
  }
}

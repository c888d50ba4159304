/** Why the content endpoints say no (contract.md "Errors", "Content"). */
import { Refusal } from '../refusal.ts';

export class ContentNotFound extends Refusal {
  override readonly name = 'ContentNotFound';
  readonly code = 'CONTENT_NOT_FOUND';
  constructor() {
    super('No content item has this id.');
  }
}

export class SlugTaken extends Refusal {
  override readonly name = 'SlugTaken';
  readonly code = 'SLUG_TAKEN';
  constructor() {
    super('Another item of this domain has this slug; choose another slug or change that item.');
  }
}

export class IdempotencyConflict extends Refusal {
  override readonly name = 'IdempotencyConflict';
  readonly code = 'IDEMPOTENCY_CONFLICT';
  constructor() {
    super('This Idempotency-Key was used within 24 hours with another body; use a new key for a new item.');
  }
}

export class PreconditionFailed extends Refusal {
  override readonly name = 'PreconditionFailed';
  readonly code = 'PRECONDITION_FAILED';
  /** @param isQuoted whether If-Match holds strong entity tags, as it must */
  constructor(currentVersion: number, isQuoted = true) {
    super(
      isQuoted
        ? `The item is at version ${currentVersion}, which If-Match does not name; read it again before changing it.`
        : `If-Match takes versions as ETag gives them, in double quotes and without W/; the item is at version "${currentVersion}".`,
    );
  }
}

export class PageTooLarge extends Refusal {
  override readonly name = 'PageTooLarge';
  readonly code = 'PAGE_TOO_LARGE';
  constructor(limitThatFits: number) {
    super(`This page would be too large; a limit of ${limitThatFits} fits.`);
  }
}

import { Refusal } from '../refusal.ts';

/** The vehicle is known, but nothing about its MOT, tax and fines: no verdict is better than a guess. */
export class ComplianceNotFound extends Refusal {
  override readonly name = 'ComplianceNotFound';
  readonly code = 'COMPLIANCE_NOT_FOUND';

  constructor() {
    super('The vehicle is known, but there is no compliance record for it.');
  }
}

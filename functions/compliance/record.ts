import type { LondonDate } from '../runtime/clock.ts';

/** What is known of a vehicle besides its insurance, as it is stored. */
export interface ComplianceRecord {
  readonly registration: string;
  readonly mot: { readonly dueDate: LondonDate } | { readonly exempt: true };
  readonly roadTax: { readonly paidUntil: LondonDate } | { readonly exempt: true } | { readonly sorn: true };
  readonly outstandingFines: number;
}

const holds = (value: unknown, field: string, test: (content: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && test((value as Record<string, unknown>)[field]);

const isText = (value: unknown) => typeof value === 'string';
const isTrue = (value: unknown) => value === true;
const isCount = (value: unknown) => Number.isInteger(value);

/** Whether a value read back from storage is a compliance record: a verdict is never guessed from a damaged one. */
export const isComplianceRecord = (value: unknown): value is ComplianceRecord =>
  holds(value, 'registration', isText) &&
  holds(value, 'mot', (mot) => holds(mot, 'dueDate', isText) || holds(mot, 'exempt', isTrue)) &&
  holds(
    value,
    'roadTax',
    (tax) => holds(tax, 'paidUntil', isText) || holds(tax, 'exempt', isTrue) || holds(tax, 'sorn', isTrue),
  ) &&
  holds(value, 'outstandingFines', isCount);

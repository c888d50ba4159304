import { ANSWERABLE_DATE, isAnswerableDate } from '../../core/runtime/clock.ts';
import type * as Api from './api-types.ts';
import type { BulkSuccess, ComplianceVerdict, UsageReport, VehicleInsurance } from './api-types.ts';
import { openBulk } from './bulk.ts';
import { Content } from './content.ts';
import { isProblem, pathSegment, requireArgument } from './errors.ts';
import { type AskSigned, openSignedAnswers, type SignedAnswer } from './signed-answers.ts';
import { type ApiRequest, type CallOptions, type ClientOptions, openTransport, type Transport } from './transport.ts';

/** An entry without an answer, and why there is none. Its type lacks `insured`, which is always false here. */
export type BulkFailure = Omit<Api.BulkFailure, 'insured'>;
/** An entry of a bulk insurance lookup: a result, or the `code` of an error. */
export type InsuranceEntry = BulkSuccess | BulkFailure;
/** An entry of a bulk compliance lookup: a verdict, or the `code` of an error. */
export type ComplianceEntry = ComplianceVerdict | Omit<Api.BulkComplianceFailure, 'compliant'>;

export interface LookupOptions extends CallOptions {
  /** Requests a signed answer and verifies it. The call then resolves with `answer` and `receipt`. */
  readonly signed?: boolean | undefined;
}

export interface InsuranceOptions extends LookupOptions {
  /** The day to answer for, YYYY-MM-DD. Default: today. */
  readonly date?: string | undefined;
}

/** @throws TypeError */
const requireDay = (date: string | undefined): void => {
  const isRight = date === undefined || (typeof date === 'string' && isAnswerableDate(date));
  requireArgument(isRight, `The date must be ${ANSWERABLE_DATE}.`);
};

const pathOf = (registration: string): string => pathSegment(registration, 'registration', 'AB12 CDE');

type Signed = { readonly signed: true };
type Unsigned = { readonly signed?: false | undefined };

/**
 * A client of the Vehicle Verification API. Every call waits for the rate limit and retries transient errors. It
 * rejects with `ApiProblem`, `ConnectionError`, the reason of its signal or, with `signed: true`, `InvalidReceipt`.
 */
export class VehicleVerification {
  readonly content: Content;
  readonly #transport: Transport;
  readonly #askSigned: AskSigned;
  readonly #bulk: ReturnType<typeof openBulk>;

  /** @throws TypeError when an option is invalid */
  constructor(options: ClientOptions) {
    this.#transport = openTransport(options);
    this.#askSigned = openSignedAnswers(this.#transport);
    this.#bulk = openBulk(this.#transport, this.#askSigned);
    this.content = new Content(this.#transport);
  }

  /** `undefined` for the problem `VEHICLE_NOT_FOUND`. */
  async #lookUp<Answer>(asked: ApiRequest, signed: boolean | undefined) {
    try {
      return await (signed ? this.#askSigned<Answer>(asked) : this.#transport.request<Answer>(asked));
    } catch (error) {
      if (!isProblem(error, 'VEHICLE_NOT_FOUND') || (signed && error.receipt === undefined)) throw error;
      return signed ? { answer: undefined, receipt: error.receipt } : undefined;
    }
  }

  /** Whether a vehicle is insured; `undefined` when it is unknown. */
  insurance(registration: string, options?: InsuranceOptions & Unsigned): Promise<VehicleInsurance | undefined>;
  insurance(
    registration: string,
    options: InsuranceOptions & Signed,
  ): Promise<SignedAnswer<VehicleInsurance | undefined>>;
  async insurance(registration: string, { date, signal, signed }: InsuranceOptions = {}): Promise<unknown> {
    requireDay(date);
    const path = `/vehicle/${pathOf(registration)}/insurance`;
    return this.#lookUp<VehicleInsurance>({ path, query: { date }, signal }, signed);
  }

  /** Whether these vehicles are insured: any number, one entry each, in order. */
  verify(registrations: readonly string[], options?: InsuranceOptions & Unsigned): Promise<InsuranceEntry[]>;
  verify(registrations: readonly string[], options: InsuranceOptions & Signed): Promise<SignedAnswer<InsuranceEntry[]>>;
  async verify(registrations: readonly string[], options: InsuranceOptions = {}): Promise<unknown> {
    requireDay(options.date);
    return this.#bulk.lookUp(registrations, { ...options, path: '/vehicle/bulk-insurance', verdict: 'insured' });
  }

  /** The compliance verdict of a vehicle; `undefined` when it is unknown. */
  compliance(registration: string, options?: LookupOptions & Unsigned): Promise<ComplianceVerdict | undefined>;
  compliance(
    registration: string,
    options: LookupOptions & Signed,
  ): Promise<SignedAnswer<ComplianceVerdict | undefined>>;
  async compliance(registration: string, { signal, signed }: LookupOptions = {}): Promise<unknown> {
    const path = `/compliance/${pathOf(registration)}`;
    return this.#lookUp<ComplianceVerdict>({ path, signal }, signed);
  }

  /** The compliance verdicts of these vehicles: any number, one entry each, in order. */
  verifyCompliance(registrations: readonly string[], options?: LookupOptions & Unsigned): Promise<ComplianceEntry[]>;
  verifyCompliance(
    registrations: readonly string[],
    options: LookupOptions & Signed,
  ): Promise<SignedAnswer<ComplianceEntry[]>>;
  verifyCompliance(registrations: readonly string[], { signal, signed }: LookupOptions = {}): Promise<unknown> {
    const asked = { path: '/vehicle/bulk-compliance', verdict: 'compliant', signal, signed } as const;
    return this.#bulk.lookUp(registrations, asked);
  }

  /** The key, its limits, the current window and the last 24 hours. */
  usage(options: CallOptions = {}): Promise<UsageReport> {
    return this.#bulk.usage(options);
  }
}

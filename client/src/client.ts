import { REFERENCE } from '../../core/reference.ts';
import { ANSWERABLE_DATE, isAnswerableDate } from '../../core/runtime/clock.ts';
import type * as Api from './api-types.ts';
import type { BulkSuccess, ComplianceVerdict, UsageReport, VehicleInsurance } from './api-types.ts';
import { isAnswer, NO_ANSWER, openBulk } from './bulk.ts';
import { Content } from './content.ts';
import { isProblem, pathSegment, requireArgument } from './errors.ts';
import { type ApiRequest, type CallOptions, type ClientOptions, openTransport, type Transport } from './transport.ts';

/** An entry without an answer, and why there is none. Its type lacks `insured`, which is always false here. */
export type BulkFailure = Omit<Api.BulkFailure, 'insured'>;
/** An entry of a bulk insurance lookup: a result, or the `code` of an error. */
export type InsuranceEntry = BulkSuccess | BulkFailure;
/** An entry of a bulk compliance lookup: a verdict, or the `code` of an error. */
export type ComplianceEntry = ComplianceVerdict | Omit<Api.BulkComplianceFailure, 'compliant'>;

export interface LookupOptions extends CallOptions {
  /** Your own number of the lookup, which the operator may log: 1 to 64 letters, digits and characters of `._:/-`. */
  readonly reference?: string | undefined;
}

export interface InsuranceOptions extends LookupOptions {
  /** The day to answer for, YYYY-MM-DD. Default: today. */
  readonly date?: string | undefined;
}

const requireDay = (date: string | undefined): void => {
  const isRight = date === undefined || (typeof date === 'string' && isAnswerableDate(date));
  requireArgument(isRight, `The date must be ${ANSWERABLE_DATE}.`);
};

const referenceHeader = (reference: string | undefined): ApiRequest['headers'] => {
  if (reference === undefined) return {};
  const isRight = typeof reference === 'string' && REFERENCE.test(reference);
  requireArgument(isRight, 'The reference must be 1 to 64 letters, digits and characters of ._:/-.');
  return { 'X-Reference': reference };
};

const pathOf = (registration: string): string => pathSegment(registration, 'registration', 'AB12 CDE');

/**
 * A client of the Vehicle Verification API. Every call waits for the rate limit and retries transient errors. It
 * rejects with `ApiProblem`, `ConnectionError`, the reason of its signal, or an `Error` when the response is no answer.
 */
export class VehicleVerification {
  readonly content: Content;
  readonly #transport: Transport;
  readonly #bulk: ReturnType<typeof openBulk>;

  /** @throws TypeError when an option is invalid */
  constructor(options: ClientOptions) {
    this.#transport = openTransport(options);
    this.#bulk = openBulk(this.#transport);
    this.content = new Content(this.#transport);
  }

  /** `undefined` for the problem `VEHICLE_NOT_FOUND`. */
  async #lookUp<Answer extends VehicleInsurance | ComplianceVerdict>(
    asked: ApiRequest,
    registration: string,
    verdict: 'insured' | 'compliant',
  ): Promise<Answer | undefined> {
    try {
      const answer = await this.#transport.request<Answer & { readonly asOf?: string }>(asked);
      const isRight = isAnswer(answer, registration, verdict) && !('code' in answer);
      if (!isRight || answer.asOf !== asked.query?.date) throw new Error(NO_ANSWER);
      return answer;
    } catch (error) {
      if (!isProblem(error, 'VEHICLE_NOT_FOUND') || error.status !== 404) throw error;
      return undefined;
    }
  }

  /** Whether a vehicle is insured; `undefined` when it is unknown. */
  async insurance(
    registration: string,
    { date, reference, signal }: InsuranceOptions = {},
  ): Promise<VehicleInsurance | undefined> {
    requireDay(date);
    const headers = referenceHeader(reference);
    const path = `/vehicle/${pathOf(registration)}/insurance`;
    return this.#lookUp({ path, query: { date }, headers, signal }, registration, 'insured');
  }

  /** Whether these vehicles are insured: any number, one entry each, in order. */
  async verify(
    registrations: readonly string[],
    { date, reference, signal }: InsuranceOptions = {},
  ): Promise<InsuranceEntry[]> {
    requireDay(date);
    const asked = { path: '/vehicle/bulk-insurance', verdict: 'insured', date, signal } as const;
    return this.#bulk.lookUp(registrations, { ...asked, headers: referenceHeader(reference) });
  }

  /** The compliance verdict of a vehicle; `undefined` when it is unknown. */
  async compliance(
    registration: string,
    { reference, signal }: LookupOptions = {},
  ): Promise<ComplianceVerdict | undefined> {
    const headers = referenceHeader(reference);
    return this.#lookUp({ path: `/compliance/${pathOf(registration)}`, headers, signal }, registration, 'compliant');
  }

  /** The compliance verdicts of these vehicles: any number, one entry each, in order. */
  async verifyCompliance(
    registrations: readonly string[],
    { reference, signal }: LookupOptions = {},
  ): Promise<ComplianceEntry[]> {
    const asked = { path: '/vehicle/bulk-compliance', verdict: 'compliant', signal } as const;
    return this.#bulk.lookUp(registrations, { ...asked, headers: referenceHeader(reference) });
  }

  /** The key, its limits, the current window and the last 24 hours. */
  usage(options: CallOptions = {}): Promise<UsageReport> {
    return this.#bulk.usage(options);
  }
}

import type * as Api from './api-types.ts';
import type { BulkSuccess, ComplianceVerdict, UsageReport, VehicleInsurance } from './api-types.ts';
import { openBulk } from './bulk.ts';
import { Content } from './content.ts';
import { isProblem } from './errors.ts';
import { type CallOptions, type ClientOptions, openTransport, type Transport } from './transport.ts';

/** Why there is no answer. Its type lacks `insured`, which the service sends as false and which says nothing. */
export type BulkFailure = Omit<Api.BulkFailure, 'insured'>;
/** An entry of a bulk insurance lookup: a result, or the `code` of an error. */
export type InsuranceEntry = BulkSuccess | BulkFailure;
/** An entry of a bulk compliance lookup: a verdict, or the `code` of an error. */
export type ComplianceEntry = ComplianceVerdict | Omit<Api.BulkComplianceFailure, 'compliant'>;

export interface InsuranceOptions extends CallOptions {
  /** YYYY-MM-DD. Default: today. */
  readonly date?: string | undefined;
}

/** Resolves with `undefined` for the problem `VEHICLE_NOT_FOUND`. */
const unlessUnknown = async <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (isProblem(error, 'VEHICLE_NOT_FOUND')) return undefined;
    throw error;
  }
};

/**
 * A client of the Vehicle Verification API. Every call waits for the rate limit and retries transient errors. It rejects with
 * `ApiProblem`, with `ConnectionError`, or with the reason of its signal.
 */
export class VehicleVerification {
  readonly content: Content;
  readonly #transport: Transport;
  readonly #bulk: ReturnType<typeof openBulk>;

  /** @throws TypeError when the base address or the key is invalid */
  constructor(options: ClientOptions) {
    this.#transport = openTransport(options);
    this.#bulk = openBulk(this.#transport, options.concurrency ?? 4);
    this.content = new Content(this.#transport);
  }

  /** Whether a vehicle is insured; `undefined` when it is unknown. */
  insurance(registration: string, { date, signal }: InsuranceOptions = {}): Promise<VehicleInsurance | undefined> {
    const path = `/vehicle/${encodeURIComponent(registration)}/insurance`;
    return unlessUnknown(this.#transport.request<VehicleInsurance>({ path, query: { date }, signal }));
  }

  /** Whether these vehicles are insured: any number, one entry each, in order. */
  verify(registrations: readonly string[], { date, signal }: InsuranceOptions = {}): Promise<InsuranceEntry[]> {
    return this.#bulk.lookUp(registrations, { path: '/vehicle/bulk-insurance', verdict: 'insured', date, signal });
  }

  /** The compliance verdict of a vehicle; `undefined` when it is unknown. */
  compliance(registration: string, { signal }: CallOptions = {}): Promise<ComplianceVerdict | undefined> {
    const path = `/compliance/${encodeURIComponent(registration)}`;
    return unlessUnknown(this.#transport.request<ComplianceVerdict>({ path, signal }));
  }

  /** The compliance verdicts of these vehicles: any number, one entry each, in order. */
  verifyCompliance(registrations: readonly string[], { signal }: CallOptions = {}): Promise<ComplianceEntry[]> {
    return this.#bulk.lookUp(registrations, { path: '/vehicle/bulk-compliance', verdict: 'compliant', signal });
  }

  /** The key, its limits, the current window and the last 24 hours. */
  usage(options: CallOptions = {}): Promise<UsageReport> {
    return this.#bulk.usage(options);
  }
}

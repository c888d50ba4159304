import type { ComplianceEntry, InsuranceEntry, SignedAnswer, VehicleVerification } from '../index.ts';
import type { OutputFile } from './output-file.ts';

/** What a check asks the service, in order. */
export interface Lookups {
  /** @param date YYYY-MM-DD, by default today */
  readonly insurance: (registrations: readonly string[], date?: string) => Promise<readonly InsuranceEntry[]>;
  readonly compliance: (registrations: readonly string[]) => Promise<readonly ComplianceEntry[]>;
}

/** The lookups of a client. With a file for receipts each answer is signed, and its receipts are written there. */
export const openLookups = (
  client: VehicleVerification,
  signal: AbortSignal,
  receipts: OutputFile | undefined,
): Lookups => {
  if (receipts === undefined) {
    return {
      insurance: (registrations, date) => client.verify(registrations, { date, signal }),
      compliance: (registrations) => client.verifyCompliance(registrations, { signal }),
    };
  }
  const keep = async <Answer>(signed: Promise<SignedAnswer<Answer>>): Promise<Answer> => {
    const { answer, receipt } = await signed;
    if (receipt !== '') await receipts.write(`${receipt}\n`);
    return answer;
  };
  return {
    insurance: (registrations, date) => keep(client.verify(registrations, { date, signal, signed: true })),
    compliance: (registrations) => keep(client.verifyCompliance(registrations, { signal, signed: true })),
  };
};

import type { DatabaseUse } from './database-units.ts';
import { PRICES } from './prices.ts';

/** What one request of an endpoint was measured to take, warm. */
export interface Measured {
  readonly name: string;
  readonly database: DatabaseUse;
  /** Mean milliseconds as Lambda bills them: each invocation rounded up. */
  readonly billedMs: number;
  /** Of the answer, headers included. */
  readonly answerBytes: number;
  /** Of the function's own log lines. */
  readonly loggedBytes: number;
}

/** Of API Gateway's access log and Lambda's START, END and REPORT lines, by their length; nothing here writes those. */
const PLATFORM_LOG_BYTES = 350 + 450;
const BYTES_PER_GIGABYTE = 1e9;
const MILLION = 1e6;

/** USD for a million requests, by what is paid for. */
export interface Cost {
  readonly gateway: number;
  readonly lambda: number;
  readonly reads: number;
  readonly writes: number;
  readonly logs: number;
  readonly transfer: number;
}

export const costPerMillion = (measured: Measured, memoryMegabytes: number): Cost => {
  const { database, billedMs, answerBytes, loggedBytes } = measured;
  const gigabyteSeconds = MILLION * (billedMs / 1_000) * (memoryMegabytes / 1_024);
  const gigabytes = (bytes: number): number => (MILLION * bytes) / BYTES_PER_GIGABYTE;
  return {
    gateway: PRICES.gatewayPerMillion,
    lambda: PRICES.lambdaPerMillion + gigabyteSeconds * PRICES.lambdaPerGigabyteSecond,
    reads: database.readUnits * PRICES.readUnitsPerMillion,
    writes: database.writeUnits * PRICES.writeUnitsPerMillion,
    logs: gigabytes(loggedBytes + PLATFORM_LOG_BYTES) * PRICES.logsPerGigabyte,
    transfer: gigabytes(answerBytes) * PRICES.transferPerGigabyte,
  };
};

export const total = (cost: Cost): number => Object.values(cost).reduce((sum, usd) => sum + usd, 0);

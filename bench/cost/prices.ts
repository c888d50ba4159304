/**
 * USD, AWS price list of us-east-1 as known in 2025; nothing looks them up. eu-west-2 (London) is a tenth to a fifth dearer.
 * On demand, without free tiers and discounts.
 */
export const PRICES = {
  /** HTTP API, per million requests of up to 512 kB. */
  gatewayPerMillion: 1,
  lambdaPerMillion: 0.2,
  /** arm64. */
  lambdaPerGigabyteSecond: 0.0000133334,
  readUnitsPerMillion: 0.125,
  writeUnitsPerMillion: 0.625,
  /** CloudWatch Logs, taken in. */
  logsPerGigabyte: 0.5,
  /** Out to the internet. */
  transferPerGigabyte: 0.09,
  /** A month of DynamoDB's standard class. */
  storagePerGigabyte: 0.25,
  /** A month of point-in-time recovery. */
  recoveryPerGigabyte: 0.2,
  /** DynamoDB's import from S3, of uncompressed data. */
  importFromS3PerGigabyte: 0.15,
} as const;

import { Duration } from 'aws-cdk-lib';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { largestRequestsPerSecond } from '../../functions/access/plans.ts';
import { FUNCTION_TIMEOUT_SECONDS } from '../../functions/endpoints.ts';

/** What can differ between stages. */
export interface StageSettings {
  /** `dev`, `prod` or any other name of lower-case letters, digits and hyphens. */
  readonly stage: string;
  /** Data is retained when the stack is deleted, and protected from deletion. If false, it is deleted with the stack. */
  readonly keepsData: boolean;
  readonly functions: {
    readonly architecture: Architecture;
    readonly memoryMegabytes: number;
    readonly timeout: Duration;
  };
  readonly logRetention: RetentionDays;
  /** Requests per second and burst, over all callers. */
  readonly throttle: { readonly rateLimit: number; readonly burstLimit: number };
  /** Further regions with a replica of the vehicles and compliance tables. */
  readonly replicaRegions: readonly string[];
  /** Receives the alarms. If absent, only the dashboard shows them. */
  readonly alarmEmail?: string;
  /** A custom domain, with its certificate in the stack's region. */
  readonly domain?: { readonly name: string; readonly certificateArn: string };
}

/** CPU grows with memory. Below 512 MB a cold start takes noticeably longer; above it a lookup only waits for DynamoDB. */
const MEMORY_MEGABYTES = 512;

/**
 * Limits what unauthenticated callers can cost. A request without a well-formed key costs an invocation of a few milliseconds
 * and no read. One with an invented key also costs one read of a key, one write of a counter, and what a lookup reads
 * while admission runs: one vehicle or content item, two records for compliance, in bulk those of at most 25 vehicles.
 * Lists and larger bulk requests read nothing. The limits are above what ten premium callers send at full speed, and well
 * under an account's default of 10,000.
 */
const THROTTLE = { rateLimit: 1_000, burstLimit: 2_000 };

/**
 * A throttle below a plan would answer its callers 429 without the rate limit headers, because API Gateway rejects before a function
 * runs. A burst can still meet it.
 * @throws Error with a message for the person who deploys
 */
export const requireThrottleAbovePlans = ({ rateLimit }: StageSettings['throttle']): void => {
  const needed = largestRequestsPerSecond();
  if (rateLimit < needed) {
    throw new Error(
      `The stage allows ${rateLimit} requests per second, but the largest plan ${needed}: raise the stage's throttle or lower the plan in functions/access/plans.ts.`,
    );
  }
};

const PRODUCTION = 'prod';
const STAGE_NAME = /^[a-z][a-z0-9-]{0,19}$/;

const stageNameFrom = (value: unknown): string => {
  if (typeof value === 'string' && STAGE_NAME.test(value)) return value;
  throw new Error(
    'Name the stage with -c stage=dev, -c stage=prod …: lower-case letters, digits and hyphens, at most 20.',
  );
};

const architectureFrom = (value: unknown): Architecture => {
  if (value === undefined || value === 'arm64') return Architecture.ARM_64;
  if (value === 'x86_64') return Architecture.X86_64;
  throw new Error('-c architecture must be arm64 (the default, 20 % cheaper) or x86_64.');
};

const domainFrom = (name: unknown, certificateArn: unknown): Pick<StageSettings, 'domain'> => {
  if (name === undefined && certificateArn === undefined) return {};
  if (typeof name === 'string' && typeof certificateArn === 'string') return { domain: { name, certificateArn } };
  throw new Error('-c domainName and -c certificateArn must be given together.');
};

const listFrom = (value: unknown): string[] => (typeof value === 'string' && value !== '' ? value.split(',') : []);

/**
 * The settings that the context names (`-c stage=… -c alarmEmail=… -c replicaRegions=a,b -c domainName=… -c
 * certificateArn=… -c architecture=…`). @throws Error with a message for the person who deploys
 */
export const stageSettings = (node: Node): StageSettings => {
  const context = (name: string): unknown => node.tryGetContext(name);
  const stage = stageNameFrom(context('stage'));
  const keepsData = stage === PRODUCTION;
  const email = context('alarmEmail');
  return {
    stage,
    keepsData,
    functions: {
      architecture: architectureFrom(context('architecture')),
      memoryMegabytes: MEMORY_MEGABYTES,
      // The functions respond one second before it. API Gateway's own limit is 30 s.
      timeout: Duration.seconds(FUNCTION_TIMEOUT_SECONDS),
    },
    logRetention: keepsData ? RetentionDays.THREE_MONTHS : RetentionDays.ONE_WEEK,
    throttle: THROTTLE,
    replicaRegions: listFrom(context('replicaRegions')),
    ...(typeof email === 'string' && email !== '' ? { alarmEmail: email } : {}),
    ...domainFrom(context('domainName'), context('certificateArn')),
  };
};

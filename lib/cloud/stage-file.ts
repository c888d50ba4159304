/** The settings file of a stage, `stages/STAGE.json`: the form that it must have. Without CDK imports, which load slowly. */
import * as T from 'typebox';
import { largestRequestsPerSecond } from '../../core/access/plans.ts';

/** Days for which CloudWatch Logs can keep a log group's events. */
export const LOG_RETENTION_DAYS: readonly number[] = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/**
 * Limits what unauthenticated callers can cost. A request without a well-formed key costs an invocation of a few milliseconds
 * and no read. One with an invented key also costs one read of a key, one write of a counter, and what a lookup reads
 * while admission runs: one vehicle or content item, two records for compliance, in bulk those of at most 25 vehicles.
 * Lists and larger bulk requests read nothing. 1,000 and 2,000 are above what ten premium callers send at full speed, and
 * well under an account's default of 10,000.
 */
const Throttle = T.Object({
  /**
   * Requests per second. Below a plan, API Gateway would answer that plan's callers 429 without the rate limit headers,
   * because it rejects before a function runs. A burst can still meet it.
   */
  rateLimit: T.Refine(
    T.Integer(),
    (value) => value >= largestRequestsPerSecond(),
    () =>
      `must be at least ${largestRequestsPerSecond()}, the requests per second of the largest plan (core/access/plans.ts)`,
  ),
  /** Requests at once. */
  burstLimit: T.Integer({ minimum: 1 }),
});

/** A custom domain. Callers keep the default address until `disableDefaultEndpoint` turns it off. */
const Domain = T.Object({
  name: T.String({
    pattern: '^([a-z0-9-]+\\.)+[a-z0-9-]+$',
    description: 'a host name in lower case, such as api.example.com',
  }),
  /** Of a certificate for the name, in the stage's region. */
  certificateArn: T.String({
    pattern: '^arn:aws[a-z-]*:acm:[a-z0-9-]+:\\d{12}:certificate/\\S+$',
    description: 'the ARN of a certificate in ACM',
  }),
  /** Turns off the address `….execute-api.….amazonaws.com`, once no caller uses it. False when absent. */
  disableDefaultEndpoint: T.Optional(T.Boolean()),
});

/** What can differ between stages. */
export const StageFile = T.Object({
  /** Where the stack is deployed. */
  region: T.String({ pattern: '^[a-z]{2}(-[a-z]+)+-\\d$', description: 'the name of a region, such as eu-west-2' }),
  /** A deployment with credentials of another account fails. When absent, any account will do. */
  account: T.Optional(T.String({ pattern: '^\\d{12}$', description: 'an account number of 12 digits, in quotes' })),
  /**
   * If true, tables and logs stay when the stack is deleted, tables are protected from deletion, and so is the stack. If
   * false, all of it is deleted with the stack. A stage that is named like production must state it; otherwise false.
   */
  keepsData: T.Optional(T.Boolean()),
  /** The team that answers for the stage: the tag `owner` of everything in it. */
  owner: T.Optional(
    T.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9 _.:/=+@-]{0,127}$',
      description: 'at most 128 letters, digits, spaces and _.:/=+@-, beginning with a letter or digit',
    }),
  ),
  /** Receives the alarms. When absent, only the dashboard shows them. */
  alarmEmail: T.Optional(T.String({ pattern: '^[^\\s@]+@[^\\s@]+$', description: 'an email address' })),
  domain: T.Optional(Domain),
  /** Where the documentation site (`npm run site`) is published: the `type` of every problem leads to its page of errors. */
  docsUrl: T.Optional(
    T.String({
      pattern: '^https://[a-zA-Z0-9.:/_~%-]*[a-zA-Z0-9]$',
      description: 'an address that begins with https:// and ends without a slash',
    }),
  ),
  /** Until 0.3.0 further regions with a replica of two tables. An empty list changes nothing, so it is accepted. */
  replicaRegions: T.Optional(
    T.Refine(
      T.Array(T.Unknown()),
      (value) => value.length === 0,
      () =>
        'is no longer a setting: remove the replicas with the version that is deployed, one region per deployment, and then this field (docs/operations.md, "Replicas of earlier versions")',
    ),
  ),
  /** 1,000 requests per second and 2,000 at once when absent. */
  throttle: T.Optional(Throttle),
  /** 90 where data is kept, otherwise 7, when absent. */
  logRetentionDays: T.Optional(
    T.Refine(
      T.Integer(),
      (value) => LOG_RETENTION_DAYS.includes(value),
      () => `must be a number of days that CloudWatch Logs offers: ${LOG_RETENTION_DAYS.join(', ')}`,
    ),
  ),
  /**
   * Lambda's own lines of every invocation, with its billed duration, its memory and the duration of its start. They cost about
   * 0.3 USD per million requests. Those of failed invocations are there in any case. False when absent.
   */
  lambdaSystemLogs: T.Optional(T.Boolean()),
  /**
   * A new version of a function serves a tenth of the requests for 10 minutes, then all, and is rolled back when an alarm of the
   * function is raised. Otherwise it serves all requests at once. False when absent.
   */
  gradualDeployment: T.Optional(T.Boolean()),
});

export type StageFile = T.Static<typeof StageFile>;

/** The schema of a stage's settings file, `stages/STAGE.json`. No CDK imports, because they load slowly. */
import * as T from 'typebox';
import { CHECKS } from '../checks.ts';
import { type TableId, tables } from '../tables.ts';
import { IntakeEntry, TimeBetweenImports, text } from './intake-entry.ts';
import { IMPORT_METRICS, REGION_NAME, type RecordKind } from './outputs.ts';
import { PlansSetting } from './plans-schema.ts';

/** Days for which CloudWatch Logs can keep a log group's events. */
const LOG_RETENTION_DAYS: readonly number[] = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/**
 * The throttle of API Gateway, a target that bursts can overrun and that AWS may apply to each route. It limits what
 * unauthenticated callers can cost. A request without a well-formed key costs an invocation of a few milliseconds and
 * no read, and one with an unknown key also costs one read. The defaults, 1,000 and 2,000, are at least what ten
 * premium callers send at full speed, and well below an account's default of 10,000.
 */
const Throttle = T.Object({
  /** Requests per second. At least any plan's rate, because API Gateway's own 429 lacks the rate limit headers. */
  rateLimit: T.Integer({ minimum: 1 }),
  /** Size of the token bucket: requests that may arrive at once. AWS permits 1,250 in some regions, such as Milan. */
  burstLimit: T.Integer({ minimum: 1 }),
});

export const DEFAULT_THROTTLE: T.Static<typeof Throttle> = { rateLimit: 1_000, burstLimit: 2_000 };

/** A custom domain. Callers keep the default address until `disableDefaultEndpoint` turns it off. */
const Domain = T.Object({
  name: text(/^([a-z0-9-]+\.)+[a-z0-9-]+$/, 'a host name in lower case, such as api.example.com'),
  /** The certificate must be for the name, and in the stage's region. */
  certificateArn: text(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/\S+$/, 'the ARN of a certificate in ACM'),
  /** Disables the default address, `….execute-api.….amazonaws.com`, for callers that still use it. Default: false. */
  disableDefaultEndpoint: T.Optional(T.Boolean()),
});

const Address = text(
  /^https:\/\/[a-zA-Z0-9.:/_~%-]*[a-zA-Z0-9]$/,
  'an address that begins with https:// and ends without a slash',
);

/** Units a second that a table gives at once. DynamoDB gives a new table these smallest figures. */
const WarmThroughput = T.Object({
  readUnitsPerSecond: T.Integer({ minimum: 12_000 }),
  writeUnitsPerSecond: T.Integer({ minimum: 4_000 }),
});

const TableName = text(/^[a-zA-Z0-9_.-]{3,255}$/, 'the name of a table: 3 to 255 letters, digits and _.-');

const someOf = <Name extends string, Schema extends T.TSchema>(names: readonly Name[], schema: Schema) =>
  T.Partial(T.Object(Object.fromEntries(names.map((name) => [name, schema])) as Record<Name, Schema>));

export const StageFile = T.Object({
  region: text(REGION_NAME, 'the name of a region, such as eu-west-2'),
  /** A deployment with credentials of another account fails. When absent, any account is allowed. */
  account: T.Optional(text(/^\d{12}$/, 'an account number of 12 digits, in quotes')),
  /**
   * The qualifier of the bootstrap that may deploy the stage. Default: the CDK's, which all stages share.
   *
   * Its `--cloudformation-execution-policies` must permit what the stack has: API Gateway, CloudWatch, DynamoDB,
   * EventBridge, Lambda, Logs, SNS, reading from the bootstrap's bucket and parameter, and in IAM only roles and
   * policies named `vehicle-verification-STAGE-*`. `intake` also has CodeBuild and S3, `audit` CloudTrail and S3,
   * `lookupLog` these and KMS.
   * CloudFormation cuts names of roles to 64 characters, with 25 or more of the stack's name, so the pattern fits
   * stages of at most 4 characters, such as `prod`. Give another one an account of its own, because IAM does not limit
   * `iam:PassRole` by the tags of a role.
   * Without such a policy CloudFormation deploys as an administrator.
   * `--custom-permissions-boundary NAME` limits the bootstrap's roles. The roles of the service are limited by
   * `"@aws-cdk/core:permissionsBoundary": { "name": "NAME" }` in the context of cdk.json.
   */
  bootstrapQualifier: T.Optional(text(/^[a-z0-9]{1,10}$/, '1 to 10 lower-case letters and digits')),
  /**
   * Whether tables and CDK stack are protected from deletion, and tables and logs are retained when the CDK stack is
   * deleted. Required for a stage that is named like production, otherwise false when absent.
   */
  keepsData: T.Optional(T.Boolean()),
  /** The team that is responsible for the stage; the tag `owner` of its resources. */
  owner: T.Optional(
    text(
      /^[A-Za-z0-9][A-Za-z0-9 _.:/=+@-]{0,127}$/,
      'at most 128 letters, digits, spaces and _.:/=+@-, beginning with a letter or digit',
    ),
  ),
  /** Receives a mail for every alarm. */
  alarmEmail: T.Optional(text(/^[^\s@]+@[^\s@]+$/, 'an email address')),
  /**
   * A topic of yours, in the region of the stage. It gets the alarms that need a person now, and without `alarmEmail`
   * every alarm. Without a topic and an address, only the dashboard shows alarms.
   */
  alarmTopicArn: T.Optional(text(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]+$/, 'the ARN of a topic in SNS')),
  /** Concurrency limit of the account in this region. At 80 % of it an alarm is raised. Default: no alarm. */
  accountConcurrency: T.Optional(T.Integer({ minimum: 10 })),
  domain: T.Optional(Domain),
  /**
   * The longest time between two imports, after which an alarm is raised: longer than usual, so that a slow import
   * raises none. Default: no alarm.
   */
  expectImports: T.Optional(someOf(Object.keys(IMPORT_METRICS) as RecordKind[], TimeBetweenImports)),
  /** Tables that the stage uses in place of its own, such as restored ones. Its own stay as they are. */
  tables: T.Optional(someOf(['vehicles', 'compliance', 'content'], TableName)),
  /**
   * What the stage's own tables give at once, after a quiet time too. It can only be raised. Default: DynamoDB's own.
   */
  warmThroughput: T.Optional(someOf(Object.keys(tables) as TableId[], WarmThroughput)),
  /** The files that load themselves when they are put into the bucket of the stage. When absent, there is no bucket. */
  intake: T.Optional(T.Array(IntakeEntry, { minItems: 1, maxItems: 20 })),
  /** The address of the documentation site (`npm run site`). The `type` of every problem links to its errors. */
  docsUrl: T.Optional(Address),
  /** The address of docs/runbook.md, or of your own copy. The description of each alarm links to its section there. */
  runbookUrl: T.Optional(Address),
  /**
   * Whether CloudTrail logs who reads and writes the tables and the bucket of `intake`, except the service itself
   * (docs/operations.md#audit). Default: false.
   */
  audit: T.Optional(T.Boolean()),
  /**
   * Logs hashes of the registrations that are looked up, which nobody but the auditors can search
   * (docs/operations.md#who-asked-about-a-vehicle). When absent, no lookup is logged.
   */
  lookupLog: T.Optional(
    T.Object({
      /** The roles that may search. They also need the policy in the output AuditorPolicy. */
      auditors: T.Array(
        text(
          /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
          'the ARN of a role, such as arn:aws:iam::123456789012:role/auditors',
        ),
        { minItems: 1, maxItems: 20 },
      ),
    }),
  ),
  /** The plans by name, with their limits. Default: those in core/access/plans.ts. */
  plans: T.Optional(PlansSetting),
  /** The checks that count for a compliance verdict. The others are `NOT_CHECKED`. Default: all four. */
  checks: T.Optional(
    T.Array(T.String({ pattern: `^(${CHECKS.join('|')})$`, description: `one of ${CHECKS.join(', ')}` }), {
      minItems: 1,
      uniqueItems: true,
    }),
  ),
  /** Default: 1,000 requests per second and a burst of 2,000. */
  throttle: T.Optional(Throttle),
  /** Days for which the access log is kept, with the addresses of callers in it. Default: no addresses are logged. */
  sourceAddressDays: T.Optional(
    T.Refine(
      T.Integer(),
      (value) => value <= 30 && LOG_RETENTION_DAYS.includes(value),
      () => 'must be 1, 3, 5, 7, 14 or 30 days, because an address is personal data',
    ),
  ),
  /** Days for which logs are kept. Default: 90 if data is kept, otherwise 7. */
  logRetentionDays: T.Optional(
    T.Refine(
      T.Integer(),
      (value) => LOG_RETENTION_DAYS.includes(value),
      () => `must be a number of days that CloudWatch Logs offers: ${LOG_RETENTION_DAYS.join(', ')}`,
    ),
  ),
});

export type StageFile = T.Static<typeof StageFile>;

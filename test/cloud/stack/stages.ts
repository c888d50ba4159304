/** The stages whose templates the tests read. */
import type { StageFile } from '../../../core/stage/stage-schema.ts';

/** A stage with its committed settings, except for these. */
export interface Stage {
  readonly stage: 'dev' | 'prod';
  readonly architecture?: string;
  readonly settings?: Partial<StageFile>;
}

const domain = { name: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1' };

export const AUDITORS = ['auditors', 'team/dpo'].map((role) => `arn:aws:iam::123456789012:role/${role}`);

/** As `prod`, with every optional setting. */
export const EVERY_SETTING = {
  stage: 'prod',
  architecture: 'x86_64',
  settings: {
    owner: 'Team Vehicles',
    alarmEmail: 'ops@example.com',
    alarmTopicArn: 'arn:aws:sns:eu-west-2:123456789012:on-call',
    accountConcurrency: 1_000,
    docsUrl: 'https://docs.example.com/vehicles',
    runbookUrl: 'https://example.com/runbook.md',
    expectImports: { vehicles: '26h', compliance: '7d' },
    checks: ['insurance', 'mot'] as string[],
    plans: {
      trial: { requestsPerWindow: 2, bulkSize: 3 },
      fleet: { requestsPerWindow: 300_000, bulkSize: 1_000 },
    },
    throttle: { rateLimit: 5_000, burstLimit: 500 },
    warmThroughput: { usage: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 8_000 } },
    sourceAddressDays: 7,
    domain: { ...domain, disableDefaultEndpoint: true },
    lookupLog: { auditors: AUDITORS },
  },
} as const;

/** Few, because each takes a second: a setting is tested in a stage that has it and in one that has not. */
export const STAGES = {
  prod: { stage: 'prod' },
  dev: { stage: 'dev' },
  full: EVERY_SETTING,
  /** A stage for development that keeps its data, elsewhere. */
  kept: {
    stage: 'dev',
    settings: {
      keepsData: true,
      region: 'eu-west-1',
      account: '210987654321',
      expectImports: { compliance: '1d' },
      bootstrapQualifier: 'kept',
      alarmTopicArn: 'arn:aws:sns:eu-west-1:210987654321:on-call',
      tables: { vehicles: 'restored-vehicles' },
      domain: { ...domain, certificateArn: domain.certificateArn.replace('eu-west-2', 'eu-west-1') },
    },
  },
  /** As `prod`, but with files that arrive by themselves. */
  loads: {
    stage: 'prod',
    settings: {
      intake: [
        {
          prefix: 'vehicles/acme/',
          import: 'vehicles',
          supplier: 'acme',
          expect: '26h',
          complete: true,
          removeAtMost: '2%',
          from: 'arn:aws:iam::210987654321:role/acme',
        },
        { prefix: 'vehicles/acme-changes/', import: 'vehicles', supplier: 'acme', expect: '7d' },
        { prefix: 'compliance/', import: 'compliance', expect: '2d', complete: true },
      ],
    },
  },
  /** As `loads`, but with other entries, on another machine, with a restored table, and without a mail. */
  otherLoads: {
    stage: 'prod',
    architecture: 'x86_64',
    settings: {
      alarmTopicArn: 'arn:aws:sns:eu-west-2:123456789012:on-call',
      tables: { vehicles: 'restored-vehicles' },
      intake: [{ prefix: 'other/', import: 'vehicles', expect: '26h' }],
    },
  },
  /** As `prod`, but with all that an audit can log. */
  audited: {
    stage: 'prod',
    settings: {
      audit: true,
      intake: [{ prefix: 'vehicles/', import: 'vehicles', expect: '26h' }],
      tables: { vehicles: 'restored-vehicles' },
    },
  },
} as const satisfies Record<string, Stage>;

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Columns } from '../../admin/files/columns.ts';
import { COMPLIANCE_COLUMNS, partColumns } from '../../admin/import/compliance.ts';
import { VEHICLE_COLUMNS } from '../../admin/import/vehicle-rows.ts';
import { InvalidSettings, stageSettings } from '../../lib/stage-settings.ts';
import { useFolder } from '../support/use-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const VALID = { region: 'eu-west-2', keepsData: true };
const DOMAIN = { name: 'api.example.com', certificateArn: 'arn:aws:acm:eu-west-2:123456789012:certificate/1' };
const ELSEWHERE = DOMAIN.certificateArn.replace('eu-west-2', 'us-east-1');

const AUDITOR = 'arn:aws:iam::123456789012:role/auditors';

/** Entries of vehicles, except for what is given. */
const intake = (...entries: readonly object[]): object => ({
  intake: entries.map((entry) => ({ prefix: 'vehicles/', import: 'vehicles', expect: '26h', ...entry })),
});

const namesOf = ({ required, optional }: Columns): string => [...required, ...optional].join(', ');

const plan = (changes: object): object => ({ plans: { a: { requestsPerWindow: 60, bulkSize: 1, ...changes } } });

const inStages = useFolder();

const write = (stage: string, content: unknown) =>
  writeFileSync(inStages(`${stage}.json`), typeof content === 'string' ? content : JSON.stringify(content));

/** The error message; undefined when the settings are valid. */
const complaint = (context: Readonly<Record<string, unknown>>): string | undefined => {
  try {
    stageSettings(context);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    return error.message;
  }
};

/** The error message about a file with this content, without the name of the file. */
const complaintAbout = (content: unknown, stage = 'test'): string | undefined => {
  write(stage, content);
  const file = inStages(`${stage}.json`);
  return complaint({ stages: inStages(), stage })?.replaceAll(file, '');
};

describe('The committed settings', () => {
  it('come from dev when no stage is named', () => {
    expect(stageSettings({})).toEqual(stageSettings({ stage: 'dev' }));
    expect(stageSettings({})).toMatchObject({ stage: 'dev', region: 'eu-west-2', keepsData: false });
  });

  // Otherwise an update of the CDK could change the templates of deployed stages.
  it('pin every feature flag of the CDK, at its recommended value', () => {
    const readJson = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
    expect(readJson('cdk.json').context).toEqual(readJson('node_modules/aws-cdk-lib/recommended-feature-flags.json'));
  });
});

describe('The settings of a stage', () => {
  it('have defaults for everything but the region', () => {
    write('small', { region: 'eu-west-1' });
    expect(stageSettings({ stages: inStages(), stage: 'small' })).toEqual({
      file: inStages('small.json'),
      stage: 'small',
      architecture: 'arm64',
      region: 'eu-west-1',
      keepsData: false,
      throttle: { rateLimit: 1_000, burstLimit: 2_000 },
      logRetentionDays: 7,
    });
  });

  it('retain logs longer where data is kept, unless logRetentionDays is set', () => {
    write('kept', VALID);
    expect(stageSettings({ stages: inStages(), stage: 'kept' }).logRetentionDays).toBe(90);
    write('kept', { ...VALID, logRetentionDays: 365 });
    expect(stageSettings({ stages: inStages(), stage: 'kept' }).logRetentionDays).toBe(365);
  });

  it.each<[string, object]>([
    ['region must be the name of a region, such as eu-west-2', { region: 'London' }],
    ['account must be an account number of 12 digits, in quotes', { account: '1234' }],
    ['owner must be at most 128 letters, digits, spaces', { owner: '' }],
    ['alarmEmail must be an email address', { alarmEmail: 'ops' }],
    ['alarmTopicArn must be the ARN of a topic in SNS', { alarmTopicArn: 'on-call' }],
    ['alarmTopicArn must be of a topic in eu-west-2', { alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:on-call' }],
    ['docsUrl must be an address that begins with https:// and', { docsUrl: 'https://a.example/' }],
    ['runbookUrl must be an address that begins with https:// and', { runbookUrl: 'docs/runbook.md' }],
    ['expectImports.vehicles must be hours or days, such as "26h" or', { expectImports: { vehicles: '169h' } }],
    ['expectImports.compliance must be hours or days, such as "26h" or', { expectImports: { compliance: '8d' } }],
    [
      'expectImports.content is not a setting; here the settings are vehicles, mot, tax, fines, compliance',
      { expectImports: { content: '1d' } },
    ],
    ['tables.vehicles must be the name of a table: 3 to 255', { tables: { vehicles: 'a b' } }],
    ['tables.content must be another table than tables.vehicles', { tables: { vehicles: 'same', content: 'same' } }],
    ['tables.keys is not a setting', { tables: { keys: 'restored-keys' } }],
    ['accountConcurrency must be ', { accountConcurrency: 0 }],
    ['sourceAddressDays must be 1, 3, 5, 7, 14 or 30 days', { sourceAddressDays: 60 }],
    [
      'warmThroughput.usage.writeUnitsPerSecond must be at least 4000',
      { warmThroughput: { usage: { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 1 } } },
    ],
    ['bootstrapQualifier must be 1 to 10 lower-case letters and digits', { bootstrapQualifier: 'prod-eu' }],
    ['domain.certificateArn is required', { domain: { name: 'api.example.com' } }],
    ['domain.name must be a host name in lower case', { domain: { ...DOMAIN, name: 'https://api.example.com' } }],
    [
      'domain.certificateArn must be of a certificate in eu-west-2',
      { domain: { ...DOMAIN, certificateArn: ELSEWHERE } },
    ],
    ['throttle.rateLimit must be at least 1001', plan({ requestsPerWindow: 60_001 })],
    ['checks must have 1 or more entries', { checks: [] }],
    ['checks.0 must be one of insurance, mot, roadTax, fines', { checks: ['tax'] }],
    ['checks must not have duplicate items', { checks: ['mot', 'mot'] }],
    ['plans must be 1 to 10 plans, with names of 1 to 32 letters', { plans: {} }],
    ['plans.a must have no settings but requestsPerWindow, bulkSize, unitsPerDay', plan({ unitsPerDya: 1_000 })],
    [
      'plans must be 1 to 10 plans, with names of 1 to 32 letters',
      { plans: { 'two words': { requestsPerWindow: 60, bulkSize: 1 } } },
    ],
    ['plans.a.requestsPerWindow must be at least 1', plan({ requestsPerWindow: 0 })],
    ['plans.a.requestsPerWindow must be at most 1000000', plan({ requestsPerWindow: 1_000_001 })],
    ['plans.a.bulkSize must be at most 1000', plan({ bulkSize: 1_001 })],
    ['plans.a.bulkSize must be an integer', plan({ bulkSize: 1.5 })],
    ['plans.a.bulkSize is required', plan({ bulkSize: undefined })],
    ['plans.a.unitsPerDay must be at least 1', plan({ unitsPerDay: 0 })],
    ['plans.a.unitsPerMonth must be an integer', plan({ unitsPerMonth: 1.5 })],
    ['plans.a must be an object', { plans: { a: 60 } }],
    ['logRetentionDays must be a number of days that CloudWatch Logs offers: 1, 3, 5', { logRetentionDays: 8 }],
    ['lookupLog.auditors is required', { lookupLog: {} }],
    ['lookupLog.auditors must have 1 or more entries', { lookupLog: { auditors: [] } }],
    [
      'lookupLog.auditors.0 must be the ARN of a role, such as arn:aws:iam::123456789012:role/auditors',
      { lookupLog: { auditors: ['arn:aws:iam::123456789012:root'] } },
    ],
    ['lookupLog.retention is not a setting', { lookupLog: { auditors: [AUDITOR], retention: 1 } }],
    ['intake must have 1 or more entries', { intake: [] }],
    ['intake.0.prefix must be letters, digits, _, - and slashes, at most 60', intake({ prefix: 'vehicles' })],
    ['intake.0.import must be vehicles, mot, tax, fines or compliance', intake({ import: 'content' })],
    ['intake.0.format must be dvsa', intake({ import: 'mot', format: 'csv' })],
    ['intake.0.format is for "import": "mot"', intake({ format: 'dvsa' })],
    [
      'intake.0.complete must not be true with "format": "dvsa"',
      intake({ import: 'mot', format: 'dvsa', complete: true }),
    ],
    [
      'intake.0.map is for CSV, not for "format": "dvsa"',
      intake({ import: 'mot', format: 'dvsa', map: ['A=mot_due'] }),
    ],
    ['intake.0.supplier must be at most 32 lower-case letters', intake({ supplier: 'constructor' })],
    ['intake.0.supplier is for vehicles only', intake({ import: 'compliance', supplier: 'acme' })],
    ['intake.0.dates must be iso, uk or compact', intake({ dates: 'us' })],
    ['intake.0.removeAtMost must be a number such as "200", or a', intake({ complete: true, removeAtMost: '101%' })],
    ['intake.0.loseCoverAtMost is for complete files of vehicles', intake({ loseCoverAtMost: '2%' })],
    ['intake.0.removeAtMost is for complete files: add "complete": true', intake({ removeAtMost: '2%' })],
    ['intake.0.map.0 must be COLUMN=NAME, such as "Plate=registration"', intake({ map: ['=x'] })],
    [`intake.0.map.1 must end with one of ${namesOf(VEHICLE_COLUMNS)}`, intake({ map: ['A=make', 'B=mak'] })],
    [
      `intake.0.map.0 must end with one of ${namesOf(COMPLIANCE_COLUMNS)}`,
      intake({ import: 'compliance', map: ['A=make'] }),
    ],
    ...(['mot', 'tax', 'fines'] as const).map((part): [string, object] => [
      `intake.0.map.0 must end with one of ${namesOf(partColumns(part))}`,
      intake({ import: part, map: ['A=make'] }),
    ]),
    ['intake.0.unreadableAtMost must be a number such as "200", or a', intake({ unreadableAtMost: '5x' })],
    ['intake.0.encoding must be the name of an encoding, such as "macintosh"', intake({ encoding: 'klingon' })],
    ['intake.0.expect is required', intake({ expect: undefined })],
    ['intake.0.maxGigabytes must be at most 10', intake({ maxGigabytes: 11 })],
    ['intake.0.from must be the ARN of a role, or of an', intake({ from: 'arn:aws:iam::123456789012:user/a' })],
    ['intake.0.complet is not a setting; here the settings are prefix, import, expect', intake({ complet: true })],
    [
      'intake.1.complete must not be true for the same supplier as under a/',
      intake({ prefix: 'a/', complete: true }, { prefix: 'b/', complete: true }),
    ],
    ['intake.0.prefix must not be, contain or lie in reports/', intake({ prefix: 'reports/' })],
    ['intake.0.prefix must not be, contain or lie in control/', intake({ prefix: 'control/loaded/' })],
    ['intake.0.prefix must not be, contain or lie in changes/', intake({ prefix: 'changes/acme/' })],
    ['intake.1.prefix must not be, contain or lie in a/b/: a/', intake({ prefix: 'a/b/' }, { prefix: 'a/' })],
    ['intake.1.prefix must not be, contain or lie in a/b/: a/b/c/', intake({ prefix: 'a/b/' }, { prefix: 'a/b/c/' })],
    [
      'intake must have at most 15 entries with "from"',
      intake(...Array.from({ length: 16 }, (_, nth) => ({ prefix: `${nth}a/`, from: AUDITOR }))),
    ],
    ['constructor is not a setting; here the settings are region, account', { constructor: 1 }],
  ])('are rejected with the field and its rule: %s: %j', (expected, changes) => {
    const sentence = new RegExp(`^: ${RegExp.escape(expected)}.*\\.$`);
    expect(complaintAbout({ ...VALID, ...changes })).toMatch(sentence);
  });

  it.each([
    ['', /is not valid JSON: /],
    ['{"region": }', /is not valid JSON: /],
    ['[]', /^: must be an object\.$/],
  ])('are rejected when the file has no JSON object: %j', (text, expected) => {
    expect(complaintAbout(text)).toMatch(expected);
  });

  it.each(['prod', 'prod-eu', 'eu-production', 'live', 'prd-2'])('must have keepsData for %s', (stage) => {
    expect(complaintAbout({ region: 'eu-west-2' }, stage)).toMatch(
      /^: keepsData is required for a stage with this name/,
    );
    expect(complaintAbout({ region: 'eu-west-2', keepsData: false }, stage)).toBeUndefined();
  });

  it.each(['product', 'delivery', 'dev'])('may be without keepsData for %s', (stage) => {
    expect(complaintAbout({ region: 'eu-west-2' }, stage)).toBeUndefined();
  });

  it.each(['us-gov-west-1', 'ap-southeast-7', 'us-isob-east-1', 'eusc-de-east-1'])('may be in %s', (region) => {
    expect(complaintAbout({ region })).toBeUndefined();
  });
});

describe('The command line', () => {
  it('rejects a stage without a file', () => {
    expect(complaint({ stage: 'nope' })).toBe('There is no file stages/nope.json with the settings of the stage.');
  });

  it.each(['Prod!', '', '../dev', 5])('rejects the stage name %j', (stage) => {
    expect(complaint({ stage })).toBe('-c stage must be lower-case letters, digits and hyphens, at most 20.');
  });

  it('rejects unknown names and unknown values, together with the problems of the file', () => {
    write('bad', { region: 5, alarmMail: 'x', keepsData: 'no' });
    const file = inStages('bad.json');
    const context = { stages: inStages(), stage: 'bad', stge: 'prod', architecture: 'mips' };
    expect(complaint(context)?.split('\n')).toEqual([
      `-c stge is unknown: -c accepts stage, stages, architecture; the settings are in ${file}.`,
      '-c architecture must be arm64 (the default, 20 % cheaper) or x86_64.',
      expect.stringMatching(/: alarmMail is not a setting; here the settings are region, .*, alarmEmail, .*\.$/),
      `${file}: region must be a string.`,
      `${file}: keepsData must be boolean.`,
    ]);
  });

  it('exits with 1 and the sentences, without a stack trace', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/app.ts'], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'nope', alarmEmail: 'x' }) },
    });
    expect({ status, lines: stderr.trimEnd().split('\n') }).toEqual({
      status: 1,
      lines: [
        expect.stringMatching(/^-c alarmEmail is unknown: .*; the settings are in stages\/nope\.json\.$/),
        'There is no file stages/nope.json with the settings of the stage.',
      ],
    });
  });
});

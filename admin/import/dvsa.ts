/**
 * Lines of DVSA's bulk and delta files (MOT history API). A line has a vehicle with its tests; unknown fields are
 * ignored.
 */
import { isCalendarDate } from '../../core/runtime/clock.ts';
import type { Fields } from '../../core/schemas/record-schema.ts';
import { MIDNIGHT } from '../files/date-forms.ts';
import type { FileCommand } from '../files/file-command.ts';
import { partTarget } from '../records/compliance-parts.ts';
import { isBlank } from './field-checks.ts';
import { type ReadRow, readWholeRecords } from './read-fields.ts';

/** Names of one thing, in different versions of the files. */
const UPDATE_FIELDS = ['last_update_date', 'lastUpdateDate', 'lastUpdateTimestamp'] as const;

/** The fields of which a line may have only one each, as `JSON.parse` keeps the last. */
const SINGLE = ['registration', 'modification', 'motTests', 'motTestDueDate'].map((name) => `"${name}"`);

const MODIFICATIONS = ['CREATED', 'UPDATED', 'DELETED'];

const isGiven = (value: unknown): boolean => value !== null && !isBlank(value);

/** The test with the latest expiry date, or one whose date is none, of those that were passed. */
const findPassed = (tests: readonly unknown[]): Fields | undefined => {
  let latest: Fields | undefined;
  for (const test of tests) {
    const { testResult, expiryDate } = (test ?? {}) as Fields;
    if (testResult !== 'PASSED' || !isGiven(expiryDate)) continue;
    const day = typeof expiryDate === 'string' ? expiryDate.replace(MIDNIGHT, '') : '';
    if (!isCalendarDate(day)) return { testResult, expiryDate };
    if (latest === undefined || day > String(latest.expiryDate)) latest = { testResult, expiryDate: day };
  }
  return latest;
};

/** The fields of a line that are used, which are a line that says the same. */
const usedFields = ({ registration, modification, motTests, motTestDueDate, ...fields }: Fields): Fields => {
  const updated = UPDATE_FIELDS.map((name) => fields[name]).find(isGiven);
  const passed = Array.isArray(motTests) ? findPassed(motTests) : undefined;
  return {
    registration,
    ...(isGiven(modification) && { modification }),
    ...(isGiven(motTests) && !Array.isArray(motTests) && { motTests }),
    ...(passed && { motTests: [passed] }),
    ...(!passed && isGiven(motTestDueDate) && { motTestDueDate }),
    ...(updated !== undefined && { last_update_date: updated }),
  };
};

/** A line that is no object or may have a field twice is left to the rules of any NDJSON. */
const reduceLine = (text: string): string => {
  try {
    const line: unknown = JSON.parse(text);
    const mayHaveTwice = SINGLE.some((name) => text.indexOf(name) !== text.lastIndexOf(name));
    const isObject = typeof line === 'object' && line !== null && !Array.isArray(line);
    return isObject && !mayHaveTwice ? JSON.stringify(usedFields(line as Fields)) : text;
  } catch {
    return text;
  }
};

const isDeleted = ({ modification }: Fields): boolean => modification === 'DELETED';

const readLine: ReadRow = (check, given, registration) => {
  const { modification, motTests, motTestDueDate, last_update_date: updated } = usedFields(given);
  if (modification !== undefined && !MODIFICATIONS.includes(String(modification))) {
    check.issue('modification', `must be ${MODIFICATIONS.join(', ')}`);
  }
  // A day without a time counts as its first moment.
  const time = typeof updated === 'string' && isCalendarDate(updated) ? `${updated}T00:00:00Z` : updated;
  const lastUpdated = check.lastUpdated('last_update_date', time);
  if (modification === 'DELETED') return { kind: 'remove', registration, lastUpdated };
  if (motTests !== undefined && !Array.isArray(motTests)) check.issue('motTests', 'must be an array');
  const [passed] = Array.isArray(motTests) ? motTests : [];
  const dueDate = passed ? check.day('expiryDate', passed.expiryDate) : check.day('motTestDueDate', motTestDueDate);
  const part = { body: { dueDate }, lastUpdated, isNeverEarlier: modification !== undefined };
  return { kind: 'put', registration, parts: new Map([['mot', part]]) };
};

export const DVSA_FILE = {
  formats: ['ndjson'],
  columns: { required: ['registration'], optional: [] },
  // A vehicle with many tests has a long line.
  hasLines: true,
  reduceLine,
  rowHandling: {
    kind: 'records',
    target: partTarget('mot'),
    isForStoredVehicles: true,
    saysNothing: ({ fields }) => {
      const { motTests, motTestDueDate } = usedFields(fields);
      return !isDeleted(fields) && motTests === undefined && motTestDueDate === undefined;
    },
    read: (rows, registration, options) => readWholeRecords(rows, registration, options, readLine),
  },
} as const satisfies Partial<FileCommand>;

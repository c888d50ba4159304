import type { DynamoItem } from '../../core/aws/database.ts';
import { ComplianceRecord } from '../../core/compliance/compliance-record.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import {
  flatPart,
  type GivenPart,
  type GivenParts,
  type Part,
  type Parts,
  type RecordTarget,
  wholeTarget,
} from './record-target.ts';

/** The parts of a compliance record by name, each with its attribute. */
export const PART_ATTRIBUTES = { mot: 'mot', tax: 'roadTax', fines: 'fines' } as const;

export type CompliancePart = keyof typeof PART_ATTRIBUTES;

export const COMPLIANCE_PARTS = Object.keys(PART_ATTRIBUTES) as readonly CompliancePart[];

/** What a part says, and whether `import compliance` wrote it. */
interface PartBody {
  readonly fromCompliance?: true;
  readonly dueDate?: string;
}

export const readComplianceParts = (item: DynamoItem): Parts<PartBody> | undefined => {
  const record = readStored(ComplianceRecord, item);
  if (record === undefined) return undefined;
  const parts = new Map<string, Part<PartBody>>();
  for (const name of COMPLIANCE_PARTS) {
    const { lastUpdated, ...body } = record[PART_ATTRIBUTES[name]] ?? {};
    if (Object.keys(body).length > 0) parts.set(name, { body, lastUpdated });
  }
  return parts;
};

const joinParts = (parts: Parts<PartBody>): object =>
  Object.fromEntries(Array.from(parts, ([name, part]) => [PART_ATTRIBUTES[name as CompliancePart], flatPart(part)]));

/** Whether a part of changes would take a later due date back, which may be of a test that it does not know. */
const findConflict = (given: GivenParts<PartBody>, stored: Parts<PartBody>): string | undefined => {
  const isEarlier = ([name, { body, isNeverEarlier }]: readonly [string, GivenPart<PartBody>]): boolean => {
    const { dueDate = '' } = stored.get(name)?.body ?? {};
    return isNeverEarlier === true && (body.dueDate ?? '') < dueDate;
  };
  return [...given].some(isEarlier) ? 'the stored due date is later, and a delta never makes it earlier' : undefined;
};

/** Compares and replaces one part of each record, whoever wrote it. */
export const partTarget = (part: CompliancePart): RecordTarget<PartBody> => ({
  table: 'compliance',
  replaces: (name) => name === part,
  read: readComplianceParts,
  join: joinParts,
  findConflict,
});

/** Compares and replaces all parts. A complete file removes only those that such a file has loaded. */
export const COMPLIANCE_FILE: RecordTarget<PartBody> = {
  ...partTarget('mot'),
  replaces: () => true,
  removes: ({ body }) => body.fromCompliance === true,
};

export const WHOLE_COMPLIANCE = wholeTarget(COMPLIANCE_FILE);

import * as T from 'typebox';
import { PLANS } from '../../../core/access/plans.ts';
import type { EntryCode } from '../../../core/bulk/entries.ts';
import type { verifyBulk } from '../../../core/bulk/insurance.ts';
import { BODY, type EndpointDocument, type ExampleRequest, openCode, PAST_DAY, schemaOf } from '../document.ts';
import { asOf, policyOrNull } from '../vehicle-insurance/document.ts';
import { input } from './input.ts';

const BulkSuccess = T.Object(
  {
    registration: T.String({ description: 'The registration as it was submitted' }),
    insured: T.Boolean({ description: 'Whether a policy is in force; with `code` it is false and no answer' }),
    policy: policyOrNull,
  },
  { title: 'BulkSuccess', description: 'A vehicle that is known, insured or not' },
);

/** The codes of every bulk lookup, with their meanings. */
export const ENTRY_MEANINGS = {
  VEHICLE_NOT_FOUND: 'no vehicle has this registration',
  INVALID_REGISTRATION: 'the text cannot be a registration',
  LOOKUP_UNAVAILABLE: 'it could not be read just now; request it again',
};

/** The fields of every failed entry, with the codes of its endpoint. */
export const failedEntry = <Code extends EntryCode>(meanings: Readonly<Record<Code, string>>) => ({
  registration: T.String(),
  error: T.String({ description: 'What went wrong, in words' }),
  code: openCode<Code>(meanings, 'Why there is no answer; absent where there is one'),
  suggestion: T.Optional(T.String({ description: 'The registration that was probably meant; ask before you use it' })),
});

const BulkFailure = T.Object(
  { ...failedEntry(ENTRY_MEANINGS), insured: T.Literal(false) },
  {
    title: 'BulkFailure',
    description: 'A registration that is unknown, invalid or could not be read',
  },
);

/** The fields of every bulk response. */
export const bulkEnvelopeOf = <Result extends T.TSchema>(result: Result) => ({
  results: T.Array(result, { description: 'One result per entry, in order' }),
  processed: T.Integer({ description: 'Number of submitted registrations' }),
  successful: T.Integer({ description: 'How many of them have an answer' }),
  failed: T.Integer({ description: 'How many are unknown, invalid or could not be read' }),
});

/** The type of an entry, of which some have an answer. */
export const entryOf = <Success extends T.TSchema, Failure extends T.TSchema>(
  title: string,
  success: Success,
  failure: Failure,
) =>
  T.Union([success, failure], {
    title,
    description: 'An answer, or `code` and `error`: why there is none. Check for `code` first.',
  });

const BulkResult = schemaOf<ReturnType<typeof verifyBulk>>()(
  T.Object({ ...bulkEnvelopeOf(entryOf('BulkEntry', BulkSuccess, BulkFailure)), asOf }, { title: 'BulkResult' }),
);

/** An example for both bulk endpoints: more registrations than the plan allows. */
export const tooManyRegistrations: ExampleRequest = {
  name: 'tooMany',
  summary: 'One registration more than the standard plan allows',
  request: { body: { registrations: Array.from({ length: PLANS.standard.bulkSize + 1 }, () => 'AB12 CDE') } },
};

export const document: EndpointDocument = {
  operationId: 'checkInsurance',
  description: `One result per entry, in order, duplicates included; an entry that fails does not fail the request. The maximum number of registrations depends on the plan: 100, 500 or 1,000. A bulk request counts as one request. An entry with \`LOOKUP_UNAVAILABLE\` could not be read: request it again, the vehicle may exist. With \`date\`, every entry is for that day. ${PAST_DAY} ${BODY}`,
  ...input.schemas,
  response: BulkResult,
  success: 'One result per submitted registration, in order, and how many have an answer',
  examples: [
    {
      name: 'mixed',
      summary: 'Insured, uninsured, unknown and invalid in one request',
      request: { body: { registrations: ['AB12 CDE', 'KR08NIL', 'ZZ99ZZZ', 'not a plate!'] } },
    },
    {
      name: 'renewalDay',
      summary: 'The same question for a day to come',
      request: { body: { registrations: ['AB12 CDE'], date: '2027-01-01' } },
    },
    {
      name: 'notText',
      summary: 'An entry that is not a string',
      request: { body: { registrations: ['AB12 CDE', 42] } },
    },
    tooManyRegistrations,
  ],
};

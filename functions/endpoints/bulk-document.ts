/** The parts that the documents of both bulk endpoints share. */
import * as T from 'typebox';
import { DEFAULT_PLANS } from '../../core/access/plans.ts';
import type { BulkEntryCode } from '../../core/bulk.ts';
import { type ExampleRequest, example, openCode, registrationAsSent, sourcesOfAnswer } from './document.ts';

export const ENTRY_MEANINGS = {
  VEHICLE_NOT_FOUND: 'no vehicle has this registration',
  INVALID_REGISTRATION: 'the text cannot be a registration',
  LOOKUP_UNAVAILABLE: 'it could not be read just now; request it again',
};

/** The fields of every failed entry, with the codes of its endpoint. */
export const failedEntry = <Code extends BulkEntryCode>(meanings: Readonly<Record<Code, string>>) => ({
  registration: registrationAsSent,
  error: T.String({ description: 'What went wrong, in words' }),
  code: openCode<Code>(meanings, 'Why there is no answer; absent where there is one'),
  suggestion: T.Optional(T.String({ description: 'The registration that was probably meant; ask before you use it' })),
});

export const bulkEnvelopeSchema = <Success extends T.TSchema, Failure extends T.TSchema>(
  entryTitle: string,
  success: Success,
  failure: Failure,
) => ({
  results: T.Array(
    T.Union([success, failure], {
      title: entryTitle,
      description: 'An answer, or `code` and `error`: why there is none. Check for `code` first.',
    }),
    { description: 'One result per entry, in order' },
  ),
  processed: T.Integer({ description: 'Number of submitted registrations' }),
  successful: T.Integer({ description: 'How many of them have an answer' }),
  failed: T.Integer({ description: 'How many are unknown, invalid or could not be read' }),
  sources: sourcesOfAnswer,
});

export const tooManyRegistrations: ExampleRequest = example(
  'tooMany',
  'One registration more than the standard plan allows',
  { body: { registrations: Array.from({ length: DEFAULT_PLANS.standard.bulkSize + 1 }, () => 'AB12 CDE') } },
);

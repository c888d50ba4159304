import type { EndpointId, fallback } from '../../../functions/endpoints.ts';
import type { Reply, TestApi } from '../../support/api.ts';

/** One request over records that no other request touches, and what is known of its right outcome. */
export interface PreparedRequest {
  readonly key: string;
  /** Stored things that the request is about by ids of their own. */
  readonly ids?: readonly string[];
  /** The expected status when nothing goes wrong. */
  readonly status: number;
  readonly send: () => Promise<Reply>;
  /** Holds the body of an answer with the expected status against the records. @throws AssertionError */
  readonly requireExpected: (reply: Reply) => void;
  /** Whether what is asked for exists, read past the faults. */
  readonly isStored: () => Promise<boolean>;
  /**
   * Holds what is stored, read past the faults, against all answers so far: what was acknowledged is there as it was
   * acknowledged, what failed was done whole or not at all. @throws AssertionError
   */
  readonly requireWhole: (answers: readonly Reply[]) => Promise<void>;
}

/** A kind of request. */
export interface Scenario {
  readonly name: string;
  readonly endpoint: EndpointId | typeof fallback.route;
  /**
   * Stores a new key and new records past the faults, and says what to send.
   * @param word eight lower-case letters and digits that stand in every value of key's owner, records and request
   */
  readonly prepare: (api: TestApi, word: string) => Promise<PreparedRequest>;
}

/** What `isStored` and `requireWhole` are where a request changes nothing and finds what it asks for. */
export const readOnly = {
  isStored: async () => true,
  requireWhole: async () => undefined,
} satisfies Partial<PreparedRequest>;

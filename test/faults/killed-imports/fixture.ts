import type { TestEngine } from '../../support/engine.ts';

/** What is wrong with the tables after an import; all 0 when nothing is. */
export interface ImportErrors {
  /** Records of the file that are not stored. */
  readonly lost: number;
  /** Records of the file that are stored more than once. */
  readonly duplicates: number;
  /** Records that are not as the file has them: older ones, or changed twice. */
  readonly stale: number;
  /** Records that neither the file has nor were stored before, or that the file leaves alone and that have changed. */
  readonly stray: number;
  /** What `content check` finds. */
  readonly inconsistent: number;
  /** Places of a list that another record has than in an undisturbed import. */
  readonly misplaced: number;
}

/** A file to import, with what is stored before it and what must be stored after it. */
export interface ImportFixture {
  readonly kind: 'vehicles' | 'compliance' | 'content';
  readonly fileName: string;
  readonly text: string;
  /** Rows of the file. */
  readonly rows: number;
  /** Sound records in it, which the import stores. */
  readonly records: number;
  /** Stores an older record of each, and some that the file says nothing of. */
  readonly storeOlder: (engine: TestEngine) => Promise<void>;
  readonly errorsIn: (engine: TestEngine) => Promise<ImportErrors>;
}

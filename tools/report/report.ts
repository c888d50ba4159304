/** Any cell of a table; numbers are written as they are, so round them where they are measured. */
export type Cell = string | number;

/** Rows under a head. Columns whose cells are all numbers stand to the right. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A chart: bars or lines over named places on the x axis. `file` is its name in the report's folder, without `.svg`. */
export interface Chart {
  readonly file: string;
  readonly title: string;
  readonly kind: 'bar' | 'line';
  /** What the values are in: `ms`, `MB`. */
  readonly unit: string;
  readonly x: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

/** What a section shows, in its order: a paragraph of Markdown, a table or a chart. */
export type Block = { readonly text: string } | { readonly table: Table } | { readonly chart: Chart };

/** Something that was promised, and whether it was found to hold. */
export interface Finding {
  /** With its bound: `p50 at most 0.58 of …`. */
  readonly promise: string;
  /** What was measured or counted. */
  readonly found: string;
  readonly holds: boolean;
}

/** What one measurement or proof tells. */
export interface Outcome {
  readonly findings: readonly Finding[];
  readonly blocks: readonly Block[];
}

/** Tells whoever watches how far the work has come. */
export type Progress = (done: number, total: number, doing: string) => void;

/**
 * What a section's module exports by default. `size` is what its section says. A promise that does not hold is a finding;
 * what it throws ends its process, and counts as one.
 */
export type Run = (progress: Progress, size: string) => Promise<Outcome>;

/** One measurement or proof. It runs in a process of its own, whose environment and memory no other one touches. */
export interface Section {
  /** One word or several with hyphens: chooses the section on the command line. */
  readonly id: string;
  readonly title: string;
  /** The module whose default export is its `Run`. */
  readonly module: URL;
  /** How much of it: passed on to the module. */
  readonly size?: string;
}

/** An outcome as it is kept beside the report, so that a section can be run again without the others. */
export interface Kept extends Outcome {
  readonly id: string;
  readonly title: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly seconds: number;
  /** Processor, cores and Node that it ran on. */
  readonly machine: string;
}

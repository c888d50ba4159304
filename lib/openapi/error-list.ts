/** Every code with its meaning and its remedy, under the anchor that problem documents name as their `type`. */
import { type Problem, type ProblemCode, problems, problemType } from '../../functions/problems.ts';

/** One code as the list explains it. */
export interface ExplainedProblem {
  readonly code: ProblemCode;
  /** The fragment of the problem's `type`. */
  readonly anchor: string;
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** When an error happens: its `meaning`; without one its `detail`, which is then a fixed sentence. */
export const meaningOf = (code: ProblemCode): string => {
  const { meaning, detail }: Problem = problems[code];
  return meaning ?? String(detail);
};

/** Every code, in the order of the catalogue. */
export const explainedProblems: readonly ExplainedProblem[] = (Object.keys(problems) as ProblemCode[]).map((code) => ({
  code,
  anchor: problemType(code).split('#')[1] ?? '',
  status: problems[code].status,
  title: problems[code].title,
  meaning: meaningOf(code),
  remedy: problems[code].remedy,
}));

const section = ({ code, anchor, status, title, meaning, remedy }: ExplainedProblem): string =>
  `<a id="${anchor}"></a>\n\n## ${code}\n\n**${status} ${title}.** ${meaning}\n\n${remedy}\n`;

/** The list as Markdown. */
export const errorListMarkdown = (): string =>
  [
    '<!-- Written by `npm run openapi` from functions/problems.ts. -->',
    '# Errors',
    'Every error is an [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457) problem document. Decide by `code`; show `detail` to a person; quote `requestId` when you ask for support.',
    ...explainedProblems.map(section),
  ].join('\n\n');

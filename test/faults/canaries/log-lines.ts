/** How many lines of each kind a function's output has. */
export interface LogLines {
  readonly requests: number;
  readonly failures: number;
  readonly damages: number;
  readonly metrics: number;
  /** Neither: a warning of Node's, or something that should not be there. */
  readonly others: readonly string[];
}

const parsed = (line: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

type Kind = keyof LogLines;

const kindOf = (line: string): Kind => {
  const entry = parsed(line);
  if (entry?.message === 'request') return 'requests';
  if (entry?.message === 'failure') return 'failures';
  if (entry?.message === 'damaged records') return 'damages';
  return entry?._aws === undefined ? 'others' : 'metrics';
};

export const countLines = (output: string): LogLines => {
  const groups = Map.groupBy(
    output.split('\n').filter((line) => line.trim() !== ''),
    kindOf,
  );
  const count = (kind: Kind) => groups.get(kind)?.length ?? 0;
  return {
    requests: count('requests'),
    failures: count('failures'),
    damages: count('damages'),
    metrics: (groups.get('metrics') ?? []).filter((line) => parsed(line)?.Requests !== undefined).length,
    others: groups.get('others') ?? [],
  };
};

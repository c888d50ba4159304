import { type CommandResult, EXIT } from '../command/command-result.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';
import { runConcurrently } from '../file-command/run-concurrently.ts';

const IN_FLIGHT = 32;

const LABELS = { erased: 'erased', undone: 'undone', notThere: 'not there', unchanged: 'unchanged' };
type Outcome = keyof typeof LABELS;

interface Job<Item> {
  readonly consequence: string;
  readonly outcomes: readonly Outcome[];
  readonly note?: string;
  readonly work: (item: Item) => Promise<Outcome>;
}

/** Works on each of some registrations. What is not there is named. */
export const runEach = async <Item extends string | readonly [registration: string, ...unknown[]]>(
  items: Iterable<Item>,
  { consequence, outcomes, note, work }: Job<Item>,
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  if (!dryRun) await requireConfirmation(consequence, context);
  const { signal } = context;
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  const notThere: string[] = [];
  await runConcurrently(
    items,
    IN_FLIGHT,
    () => signal.aborted,
    async (item) => {
      const outcome = await work(item);
      counts[outcome] += 1;
      if (outcome === 'notThere') notThere.push(typeof item === 'string' ? item : item[0]);
    },
  );
  notThere.sort();
  const notes = [
    notThere.length > 0 ? `Not there: ${notThere.join(', ')}.\n` : '',
    signal.aborted ? 'Stopped by Ctrl-C; the same command begins again.\n' : '',
    dryRun ? 'Dry run: nothing was changed.\n' : note === undefined ? '' : `${note}\n`,
  ];
  return {
    text: `${outcomes.map((outcome) => `${LABELS[outcome]}: ${counts[outcome]}`).join(', ')}\n`,
    notes: notes.join(''),
    data: { ...counts, registrationsNotThere: notThere, interrupted: signal.aborted, ...(dryRun && { dryRun }) },
    exitCode: signal.aborted ? EXIT.interrupted : EXIT.done,
  };
};

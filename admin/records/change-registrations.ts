import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import { CommandFailure, type CommandResult, EXIT } from '../command/command-result.ts';
import { toLines } from '../command/format.ts';
import { type CommandContext, requireConfirmation } from '../deployment/deployment.ts';

const LABELS = {
  removed: 'removed',
  erased: 'erased',
  undone: 'undone',
  notThere: 'not there',
  unchanged: 'unchanged',
};
type Outcome = keyof typeof LABELS;

/** What a command does with registrations that its command line names. */
interface Job {
  /** The kind of data. */
  readonly noun: 'vehicles' | 'compliance';
  /** A clause for the question before it changes production data. */
  readonly consequence: string;
  readonly outcomes: readonly Outcome[];
  /** A sentence after the result. */
  readonly note?: string | undefined;
  /** Works on each until Ctrl-C, and tells its outcome. */
  readonly work: (settle: (registration: string, outcome: Outcome) => void) => Promise<void>;
}

/** The values of `--registration`, each once. @throws CommandFailure for an invalid one */
export const parseRegistrations = (raw: readonly string[]): readonly string[] => {
  const parsed = raw.map((text, index) => {
    const registration = normaliseRegistration(text);
    if (registration !== undefined) return registration;
    throw new CommandFailure(`registration ${index + 1} ${registrationIssue(text)}; nothing was changed`);
  });
  return [...new Set(parsed)];
};

/** Works on some registrations, and names each that is not there. */
export const changeRegistrations = async (
  total: number,
  { noun, consequence, outcomes, note, work }: Job,
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  if (!dryRun) await requireConfirmation(consequence, context);
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  const notThere: string[] = [];
  let left = total;
  await work((registration, outcome) => {
    counts[outcome] += 1;
    left -= 1;
    if (outcome === 'notThere') notThere.push(registration);
  });
  notThere.sort();
  const notes = [
    notThere.length > 0 && `Not there: ${notThere.join(', ')}.`,
    left > 0 && `Stopped by Ctrl-C; not done: ${left}.`,
    dryRun ? 'Dry run: nothing was changed.' : left === 0 && note,
  ];
  return {
    text: `${outcomes.map((outcome) => `${LABELS[outcome]}: ${counts[outcome]}`).join(', ')}\n`,
    notes: toLines(notes),
    data: {
      kind: noun,
      ...counts,
      registrationsNotThere: notThere,
      interrupted: left > 0,
      ...(dryRun && { dryRun }),
    },
    exitCode: left > 0 ? EXIT.interrupted : EXIT.done,
  };
};

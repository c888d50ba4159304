import { type Command, InvalidArgumentError, Option } from 'commander';
import { type KeyEnvironment, newApiKey } from '../../core/access/api-key.ts';
import { creationOwnerId, type KeyRecord } from '../../core/access/key-record.ts';
import { dayAfter, londonDate } from '../../core/runtime/clock.ts';
import { CommandFailure } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import { type CommandContext, type Runner, requireConfirmation } from '../deployment/deployment.ts';
import type { ChangeOrigin, EndOfKey } from './key-store.ts';
import { changeBy, keyView, newKeyText, openKeys, requireKeyId, stateOf } from './keys.ts';

/** Days for which the old key stays valid beside its successor. */
const DEFAULT_OVERLAP_DAYS = 7;
const MAX_OVERLAP_DAYS = 365;

const MAX_ATTEMPTS = 5;

const parseOverlapDays = (text: string): number => {
  if (/^\d{1,4}$/.test(text) && Number(text) <= MAX_OVERLAP_DAYS) return Number(text);
  throw new InvalidArgumentError(
    `Write a whole number of days from 0 to ${MAX_OVERLAP_DAYS}; 0 revokes the old key at once.`,
  );
};

interface RotateKeyOptions {
  readonly overlapDays: number;
}

/** Without an overlap now, otherwise the last day of the overlap, or the key's own last day if that is earlier. */
const computeEnd = ({ expires }: KeyRecord, overlapDays: number, { by, at }: ChangeOrigin): EndOfKey => {
  if (overlapDays === 0) return { revokedAt: at.toISOString(), revokedBy: by };
  const lastDay = dayAfter(londonDate(at), overlapDays);
  return { expires: expires !== undefined && expires < lastDay ? expires : lastDay };
};

const endText = (end: EndOfKey): string =>
  'revokedAt' in end ? `was revoked at ${end.revokedAt}` : `is valid through ${end.expires} (Europe/London)`;

/** @throws CommandFailure when the key is revoked, expired or already rotated */
const requireRotatable = (record: KeyRecord, now: Date): KeyRecord => {
  const { id, successor } = record;
  if (successor !== undefined) {
    throw new CommandFailure(`key ${id} was already rotated: rotate its successor ${successor} instead`);
  }
  const state = stateOf(record, now);
  if (state === 'active') return record;
  const how = state === 'revoked' ? `was revoked at ${record.revokedAt}` : `expired at the end of ${record.expires}`;
  throw new CommandFailure(`key ${id} ${how} and cannot be rotated: create a new one with "keys create"`);
};

/** A successor has the environment of the old key. */
const requireEnvironment = ({ id, environment }: KeyRecord): KeyEnvironment => {
  if (environment !== undefined) return environment;
  throw new CommandFailure(`key ${id} has no environment and cannot be rotated: create a new one with "keys create"`);
};

const readable = (key: string, successor: KeyRecord, old: KeyRecord, end: EndOfKey): string =>
  newKeyText(`New API key of ${successor.name}`, key, successor, {
    expires: old.expires === undefined ? 'never' : `never; the old key was to expire after ${old.expires}`,
    follows: `${old.id}, which ${endText(end)}`,
  });

/** Creates the successor of a key and shows it once; the old key ends after the overlap. */
const rotateKey = async (text: string, { overlapDays }: RotateKeyOptions, context: CommandContext) => {
  const id = requireKeyId(text);
  const keys = openKeys(context);
  const change = await changeBy(context);
  const { by: createdBy, at: now } = change;
  const createdAt = now.toISOString();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const old = requireRotatable(await keys.get(id), now);
    const environment = requireEnvironment(old);
    const end = computeEnd(old, overlapDays, change);
    if (attempt === 1) {
      const when = 'revokedAt' in end ? 'at once' : `after ${end.expires}`;
      await requireConfirmation(
        `This creates a successor of key ${id} and permanently ends key ${id} ${when}`,
        context,
      );
    }
    const { key, ...identity } = newApiKey(environment);
    const { name, plan, scopes, domains } = old;
    const successor: KeyRecord = {
      ...identity,
      name,
      plan,
      scopes,
      environment,
      createdAt,
      createdBy,
      ...(domains !== undefined && { domains }),
      follows: old.id,
      firstKeyId: creationOwnerId(old),
    };
    if (await keys.rotate(old, end, successor)) {
      const { id: successorId, ...shown } = keyView(successor, now);
      const ended = { ...end, successor: successorId, rotatedAt: createdAt, rotatedBy: createdBy };
      const previous = keyView({ ...old, ...ended }, now);
      return { text: readable(key, successor, old, end), data: { id: successorId, key, ...shown, previous } };
    }
  }
  throw new CommandFailure(`key ${id} was changed by others during every attempt: try again`);
};

/** Adds `keys rotate`. */
export const addRotateKey = (keys: Command, run: Runner): void => {
  keys
    .command('rotate')
    .description('create the successor of a key and show it once; the old key ends after the overlap')
    .argument('<id>', 'id of the key')
    .addOption(
      new Option('--overlap-days <days>', 'days after today for which the old key stays valid; 0 revokes it at once')
        .argParser(parseOverlapDays)
        .default(DEFAULT_OVERLAP_DAYS),
    )
    .addHelpText('after', exampleOf('keys rotate 0123456789abcdef0123 --overlap-days 14'))
    .action((id: string, options: RotateKeyOptions) => run((context) => rotateKey(id, options, context)));
};

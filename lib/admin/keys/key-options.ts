import { InvalidArgumentError } from 'commander';
import { isScope, SCOPES, type Scope } from '../../../functions/access/scopes.ts';
import { isCalendarDate, type LondonDate } from '../../../functions/runtime/clock.ts';
import { CommandFailure } from '../command/command-failure.ts';

const MAX_NAME_LENGTH = 100;
const KEY_ID = /^[0-9a-f]{20}$/;

/** Control characters would reach every terminal that lists the keys. */
const hasControlCharacters = (text: string): boolean => /\p{Cc}/u.test(text);

/** @throws InvalidArgumentError saying what a name is */
export const parseName = (text: string): string => {
  const name = text.trim();
  const isName = name !== '' && [...name].length <= MAX_NAME_LENGTH && name.isWellFormed();
  if (isName && !hasControlCharacters(name)) return name;
  throw new InvalidArgumentError(`A name has 1 to ${MAX_NAME_LENGTH} characters and no control characters.`);
};

/** Each scope once, in the order in which they are documented. @throws InvalidArgumentError naming the allowed ones */
export const parseScopes = (text: string): Scope[] => {
  const wanted = text.split(',').map((scope) => scope.trim());
  if (!wanted.every(isScope))
    throw new InvalidArgumentError(`Allowed scopes, separated by commas: ${SCOPES.join(', ')}.`);
  return SCOPES.filter((scope) => wanted.includes(scope));
};

/** Reads the last day of a key. @throws InvalidArgumentError */
export const parseExpiry = (text: string): LondonDate => {
  if (isCalendarDate(text)) return text;
  throw new InvalidArgumentError('It must be a day as YYYY-MM-DD.');
};

/**
 * The id of a key. Not an argument parser of commander's, which would print the text: it might be a key.
 * @throws CommandFailure
 */
export const requireKeyId = (text: string): string => {
  if (KEY_ID.test(text)) return text;
  throw new CommandFailure('a key\'s id has 20 hexadecimal digits (never the key itself); "keys list" shows them');
};

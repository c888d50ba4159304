import { type Command, InvalidArgumentError } from 'commander';
import { SUPPLIER_NAME } from '../core/stage/outputs.ts';
import type { DataKind } from './files/file-command.ts';

const parseSupplier = (text: string): string => {
  if (SUPPLIER_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    'Write 1 to 32 of a-z, 0-9 and hyphens, not a hyphen first and not "constructor", such as acme-mutual.',
  );
};

/** Adds `--supplier` to a command on vehicles: no other data has suppliers. */
export const addSupplierOption = (command: Command, noun: DataKind, about: string): Command =>
  noun === 'vehicles' ? command.option('--supplier <name>', about, parseSupplier) : command;

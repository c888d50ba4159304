import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from './command/command-result.ts';
import type { DataKind } from './files/file-kind.ts';

/** Names of suppliers. The SDK stores no map with a field called `constructor`. */
export const SUPPLIER_NAME = /^(?!constructor$)[a-z0-9][a-z0-9-]{0,31}$/;

const parseSupplier = (text: string): string => {
  if (SUPPLIER_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    'Write 1 to 32 of a-z, 0-9 and hyphens, not a hyphen first and not "constructor", such as acme-mutual.',
  );
};

/** Adds `--supplier`, not shown where data has no suppliers. There `requireSuppliers` refuses it in words. */
export const addSupplierOption = (command: Command, noun: DataKind, about: string): Command =>
  command.addOption(new Option('--supplier <name>', about).argParser(parseSupplier).hideHelp(noun !== 'vehicles'));

/** @throws CommandFailure when a supplier is named of data that has none */
export const requireSuppliers = (noun: DataKind, supplier: string | undefined): void => {
  if (noun === 'vehicles' || supplier === undefined) return;
  throw new CommandFailure(`only vehicles have suppliers, and nothing was done: leave --supplier out for ${noun}`);
};

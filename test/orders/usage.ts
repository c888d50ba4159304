/** Imported first, because some of the other imports start a database. */
import { readCommandLine } from '../../core/runtime/command-line.ts';

export const given = readCommandLine(
  `Usage: npm run test:orders [-- --all | PAIR…]
Runs the pairs of the gate, every pair, or those that are named, in every order of their database calls.
--all prints the names of the pairs.`,
  (argument) => argument === '--all' || !argument.startsWith('-'),
);

import { writeOutput } from '../files/output-file.ts';

function* linesOf(registrations: Iterable<string>): Generator<string> {
  for (const registration of registrations) yield `${registration}\n`;
}

/**
 * Writes registrations, one a line, to a file beside that of the operator, which only its owner may read and `remove` reads.
 * @param what they are; part of the name @returns its name @throws CommandFailure when it cannot be written
 */
export const writeRegistrations = (
  path: string,
  what: 'missing' | 'removed' | 'damaged',
  registrations: Iterable<string>,
): Promise<string> =>
  writeOutput(`${path}.${what}.txt`, linesOf(registrations), {
    part: `${path}.${what}.${process.pid}.part`,
    nextName: (nth) => `${path}.${what}-${nth}.txt`,
  });

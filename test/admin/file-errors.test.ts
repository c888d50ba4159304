import { describe, expect, it } from '@jest/globals';
import { CommandFailure } from '../../lib/admin/command/command-failure.ts';
import { asFileFailure } from '../../lib/admin/command/file-errors.ts';

const faultOf = (code: string) => Object.assign(new Error(code), { code });

describe('A fault of the file system', () => {
  it.each([
    ['ENOENT', 'there is no such file: a.csv'],
    ['EACCES', 'access to the file is denied: a.csv'],
    ['EISDIR', 'that is a folder, not a file: a.csv'],
    ['ENOSPC', 'the disk is full: a.csv'],
    ['EROFS', 'the disk cannot be written to: a.csv'],
  ])('%s is told in a sentence that names the file', (code, sentence) => {
    expect(asFileFailure(faultOf(code), 'a.csv')).toEqual(new CommandFailure(sentence));
  });

  it('that is none is given back as it is', () => {
    const error = faultOf('ECONNREFUSED');
    expect(asFileFailure(error, 'a.csv')).toBe(error);
  });
});

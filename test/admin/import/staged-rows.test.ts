import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { stagedRows } from '../../../admin/file-command/staged-rows.ts';
import type { Row } from '../../../admin/files/row.ts';
import { openStagingDatabase } from '../../../admin/staging-database.ts';

it('Large rows come in pages of few, because a parsed row takes more memory than its text', () => {
  const db = openStagingDatabase(tmpdir());
  const staged = stagedRows(db);
  staged.facts.layout = 'ndjson';
  const text = JSON.stringify({ notes: 'n'.repeat(900_000) });
  for (let line = 1; line <= 12; line += 1) staged.add({ line, text } as Row, `V${line}`);
  expect([...staged.groups()].map(({ length }) => length)).toEqual([4, 5, 2, 1]);
  for (let line = 1; line <= 12; line += 1) staged.reject(line, []);
  expect([...staged.rejectedRows()].map(({ length }) => length)).toEqual([5, 5, 2]);
  db.close();
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../openapi/published-document.ts';
import { FULL, LOADS } from '../stack/templates.ts';
import { apiLines, stackLines } from './compatibility.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const changelog = read('docs/changelog.md');
const lines = [...apiLines(), ...stackLines(FULL), ...stackLines(LOADS)];

/** Matches `name` and everything below it; `*` matches any text. */
const covers = (name: string): RegExp => new RegExp(`^${name.split('*').map(RegExp.escape).join('.*')}(?=[ .[]|$)`);

/**
 * The incompatible lines that the changelog's newest section does not name. It names one in backquotes on a line that
 * begins with `- Breaking:`, or with `- Compatible:` if the new line accepts more requests or promises more about
 * responses. `GET /v1/x 200 body.y` also names everything below it; `* 413` names the status 413 of every operation.
 */
const unannounced = (broken: readonly string[], log: string): string[] => {
  const [, newest = ''] = log.split(/^## /m);
  const entries = newest.split(/^- /m).filter((entry) => /^(Breaking|Compatible):/.test(entry));
  const names = entries.flatMap((entry) => [...entry.matchAll(/`([^`]+)`/g)].map(([, name = '']) => covers(name)));
  return broken.filter((line) => !names.some((name) => name.test(line)));
};

describe('This version', () => {
  it('is compatible with the last release, except where docs/changelog.md says so', () => {
    const released = read('docs/released/compatibility.txt').trimEnd().split('\n');
    // A new line breaks nothing: a new restriction always changes an existing one.
    const broken = released.filter((line) => !lines.includes(line));
    // All versions of a function share a role: remove one of its actions in two releases (CONTRIBUTING.md).
    expect(unannounced(broken, changelog)).toEqual([]);
  });

  it('has the same number in package.json, lock file, document and the newest section of docs/changelog.md', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(openApiDocument().info).toMatchObject({ version });
    expect(/^## (\S+)/m.exec(changelog)?.[1]).toBe(version);
    const { version: locked, packages } = JSON.parse(read('package-lock.json'));
    expect({ locked, version: packages[''].version }).toEqual({ locked: version, version });
  });
});

it('The lines have resources of each type that a deployment must not replace', () => {
  expect(new Set(lines.flatMap((line) => /^AWS::\S+/.exec(line) ?? [])).size).toBe(9);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/run-command.ts';
import { packageFolder } from './installed-package.ts';

const CLIENT = resolve(import.meta.dirname, '../../client');

describe('The package', () => {
  it('has what is built, a README and the licence, and no sources', () => {
    expect(readdirSync(packageFolder).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('has no dependencies, and a lock file without registry addresses', () => {
    const textOf = (name: string) => readFileSync(join(CLIENT, name), 'utf8');
    expect(JSON.parse(textOf('package.json'))).not.toHaveProperty('dependencies');
    expect(textOf('package-lock.json')).not.toContain('"resolved"');
  });

  it('has a library that imports nothing from Node', () => {
    const [entry = '', library = ''] = ['index.js', 'src.js'].map((name) =>
      readFileSync(join(packageFolder, 'dist', name), 'utf8'),
    );
    expect(entry.match(/from "[^"]+"/g)).toEqual(['from "./src.js"']);
    expect(library).not.toMatch(/^import\b|\bprocess\.|\bBuffer\b/m);
  });

  it('has the licences of what it bundles', () => {
    const cli = readFileSync(join(packageFolder, 'dist/cli.js'), 'utf8');
    const bundled = new Set(
      [...cli.matchAll(/^\/\/#region (?:\.\.\/)?node_modules\/([^/]+)/gm)].map(([, name]) => name),
    );
    expect([...bundled].toSorted()).toEqual(['csv-parse', 'csv-stringify']);
    for (const name of bundled) {
      const licence = readFileSync(join(CLIENT, `../node_modules/${name}/LICENSE`), 'utf8').trim();
      expect(cli).toContain(`${name}\n\n${licence}`);
    }
  });

  it('passes publint and are-the-types-wrong, and its locked packages can be installed', async () => {
    await runCommand('npm', ['run', 'check'], { cwd: CLIENT });
    await runCommand('npm', ['ci', '--dry-run', '--ignore-scripts'], { cwd: CLIENT });
  });
});

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';
import { installationFolder, packageFolder } from './installed-package.ts';

const CLIENT = resolve(import.meta.dirname, '../../../client');

const inFolder = useFolder();

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
    for (const name of ['index.js', 'index.cjs']) {
      const library = readFileSync(join(packageFolder, 'dist', name), 'utf8');
      expect(library).not.toMatch(/^import\b|\brequire\(|\bprocess\.|\bBuffer\b/m);
    }
  });

  it('has the licences of what it bundles', () => {
    const cli = readFileSync(join(packageFolder, 'dist/main.js'), 'utf8');
    const bundled = new Set(
      [...cli.matchAll(/^\/\/#region (.*node_modules\/[^/]+)/gm)].map(([, folder = '']) => folder),
    );
    expect([...bundled].map((folder) => basename(folder)).toSorted()).toEqual(['csv-parse', 'csv-stringify', 'hucre']);
    for (const folder of bundled) {
      const licence = readFileSync(join(CLIENT, folder, 'LICENSE'), 'utf8').trim();
      expect(cli).toContain(`${basename(folder)}\n\n${licence}`);
    }
  });

  const compile = async (folder: string, module: string) => {
    const args = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--module', module];
    await runCommand(join(CLIENT, 'node_modules/.bin/tsc'), [...args, join(folder, 'program.ts')], { cwd: folder });
  };
  const PROGRAM = `
    import { ApiProblem, type InsuranceEntry, VehicleVerification } from 'vehicle-verification';
    const client = new VehicleVerification({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'key', attempts: 1 });
    const insuredOf = (entry: InsuranceEntry) => ('code' in entry ? entry.code : entry.insured);
    client.verify(['AB12CDE'])
      .then((entries) => console.log(entries.map(insuredOf)))
      .catch((error: unknown) => console.log(error instanceof ApiProblem, (error as Error).name));
  `;

  it('compiles in strict projects of CommonJS and ES modules, and runs there on the oldest Node that it names', async () => {
    const { engines } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
    const oldest = `node-linux-${process.arch}@${engines.node.slice(2)}.0`;
    await runCommand('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', inFolder(), oldest]);
    const node = join(inFolder(), 'node_modules/.bin/node');
    for (const type of ['commonjs', 'module']) {
      const folder = join(installationFolder, type);
      mkdirSync(folder);
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
      writeFileSync(join(folder, 'program.ts'), PROGRAM);
      const modules = type === 'commonjs' ? ['commonjs', 'node16', 'nodenext'] : ['node16', 'nodenext'];
      for (const module of modules) {
        await compile(folder, module);
        expect(await runCommand(node, [join(folder, 'program.js')])).toBe('false ConnectionError');
      }
    }
  });

  it('passes publint and are-the-types-wrong, and its locked packages can be installed', async () => {
    await runCommand('npm', ['run', 'check'], { cwd: CLIENT });
    await runCommand('npm', ['ci', '--dry-run', '--ignore-scripts'], { cwd: CLIENT });
  });
});

/**
 * Writes the pages that show documents, and what VitePress copies into the site as it is: the scripts of the reference,
 * which `npm start` also serves, and the files and programs that its pages offer.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../bin/command-line.ts';
import { referenceScript } from '../local/docs/pages.ts';
import { openApiDocument } from '../openapi/published-document.ts';
import { DOCUMENTS } from './pages.ts';

readCommandLine(`Usage: node prepare.ts
Writes pages of documents, and site/public: OpenAPI document, package of the client. SITE_API names the service that the site describes.`);

const root = new URL('../', import.meta.url);
const target = new URL('site/public/', root);

const COPIED = ['local/docs/favicon.svg', 'local/docs/reference.js'];

/** The service that the site describes; an example when none is named. */
const apiOrigin = (): string => {
  const api = process.env.SITE_API || 'https://api.example.com';
  const url = URL.parse(api);
  // The path of an address without one is `/`.
  if (url && ['http:', 'https:'].includes(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  process.stderr.write(`SITE_API must be an address without a path, such as https://api.example.com, and not ${api}\n`);
  process.exit(1);
};

/** Makes the client's package in the site, with its checksum, so that nobody looks for it in a public registry. */
const packClient = async (): Promise<void> => {
  const npm = (...args: readonly string[]) =>
    execFileSync('npm', [...args, '--silent', '--no-audit', '--no-fund'], {
      cwd: new URL('client/', root),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  npm('ci');
  const file = npm('pack', '--pack-destination', fileURLToPath(target)).trim().split('\n').at(-1) ?? '';
  const hash = createHash('sha256').update(await readFile(new URL(file, target)));
  await writeFile(new URL('SHA256SUMS', target), `${hash.digest('hex')}  ${file}\n`);
};

const document = openApiDocument(apiOrigin());
await mkdir(target, { recursive: true });
for (const [page, { title, file }] of Object.entries(DOCUMENTS)) {
  const text = `---\ntitle: ${title}\n---\n\n<!--@include: ../${file}-->\n`;
  await writeFile(new URL(`site/${page}.md`, root), text);
}
await cp(new URL('examples/', root), new URL('examples/', target), {
  recursive: true,
  // VitePress makes a page of every document.
  filter: (source) => !source.endsWith('.md'),
});
for (const file of COPIED) await copyFile(new URL(file, root), new URL(basename(file), target));
// Its links lead to the errors of the service on this machine.
await writeFile(
  new URL('openapi.json', target),
  JSON.stringify(document).replaceAll('(/docs/errors#', '(errors.html#'),
);
await packClient();
await writeFile(new URL('scalar.js', target), await referenceScript());

import { once } from 'node:events';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../support/program.ts';
import { useFolder } from '../../support/use-folder.ts';
import { command, packageFolder } from './installed-package.ts';
import { startStubService } from './use-client.ts';

const inFolder = useFolder();
const LINUX = `npm:node-linux-${process.arch}`;
/** Each is a package of npm. The oldest Node that works, and one that does not, are among them. */
const PACKAGES = {
  'node-18': `${LINUX}@18.20.8`,
  'node-20': `${LINUX}@20.15.0`,
  'node-22': `${LINUX}@22.23.5`,
  bun: '1.4.5',
  deno: '2.9.6',
  undici: '7.30.2',
};
const NODE_18 = 'node-18/bin/node';
const RUNTIMES: readonly (readonly [name: string, program: string, ...args: string[]])[] = [
  ['Node 20', 'node-20/bin/node'],
  ['Node 22', 'node-22/bin/node'],
  ['Node 24', process.execPath],
  ['Bun', '.bin/bun'],
  ['Deno', '.bin/deno', 'run', '--allow-all'],
];
const programOf = (path: string) => (path.startsWith('/') ? path : join(inFolder('node_modules'), path));

let service: Awaited<ReturnType<typeof startStubService>>;
/** With a certificate that nobody trusts but who names it. */
let untrusted: ReturnType<typeof createServer>;
beforeAll(async () => {
  await writeFile(inFolder('package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
  await runCommand('npm', ['install', '--no-audit', '--no-fund', '--prefix', inFolder()]);
  service = await startStubService();
  const [key, cert] = [inFolder('key.pem'), inFolder('certificate.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await runCommand('openssl', [...request, ...names, '-keyout', key, '-out', cert]);
  untrusted = createServer({ key: await readFile(key), cert: await readFile(cert) });
  await once(untrusted.listen(0), 'listening');
});
afterAll(async () => {
  untrusted.close();
  await service.close();
});

/** Runs a program, with the streams of its output in one text. */
const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand('bash', ['-c', 'exec "$0" "$@" 2>&1', programOf(program), ...args], {
    cwd: inFolder(),
    env: { PATH: process.env.PATH, HOME: inFolder(), ...service.account, ...env },
    accepted: [0, 1, 2],
  });

describe.each(RUNTIMES)('Under %s', (_name, program, ...args) => {
  it('the command checks a file, whatever its encoding, and a workbook', async () => {
    // As Excel for Windows saves it.
    await writeFile(inFolder('fleet.csv'), Buffer.from('plate;driver\r\nAB12CDE;Müller\r\n', 'latin1'));
    const check = [...args, command, 'check', 'fleet.csv', '--out', 'result.csv'];
    expect(await run(program, check)).toMatch(/^result\.csv: \d+ rows, 0 without an answer\.$/m);
    expect(await readFile(inFolder('result.csv'), 'utf8')).toContain('Müller');
    await copyFile(new URL('../../fixtures/workbooks/libreoffice.xlsx', import.meta.url), inFolder('fleet.xlsx'));
    const workbook = check.map((arg) => arg.replace('fleet.csv', 'fleet.xlsx'));
    expect(await run(program, workbook)).toMatch(/^result\.csv: 8 rows, 3 without an answer\.\nLine 3 of fleet/m);
  });

  it('a certificate that is not trusted is named at once, with what to do', async () => {
    const { port } = untrusted.address() as AddressInfo;
    const env = { VEHICLE_VERIFICATION_BASE_URL: `https://localhost:${port}/v1` };
    const output = await run(program, [...args, command, 'usage'], env);
    expect(output).toMatch(/^No complete response from \S+ in 1 attempt .* set NODE_EXTRA_CA_CERTS to the file/);
  });

  it('one signal serves many requests that wait, without a warning, and no timeout keeps the process alive', async () => {
    const source = `
      import { VehicleVerification } from ${JSON.stringify(join(packageFolder, 'dist/index.js'))};
      const { signal } = new AbortController();
      const fetch = async () => new Response('{}', { status: 503 });
      const client = new VehicleVerification({ baseUrl: 'http://x.example', apiKey: 'k', attempts: 2, timeoutMs: 600_000, fetch });
      const calls = Array.from({ length: 30 }, () => client.usage({ signal }));
      console.log((await Promise.allSettled(calls)).length);
    `;
    await writeFile(inFolder('signal.mjs'), source);
    expect(await run(program, [...args, inFolder('signal.mjs')])).toBe('30');
  });
});

it('The client’s page shows how a request goes through a proxy on the oldest Node', async () => {
  const page = await readFile(new URL('../../../client/README.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? [];
  const { port: target } = new URL(service.account.VEHICLE_VERIFICATION_BASE_URL);
  const asked: (string | undefined)[] = [];
  const proxy = createProxy().on('connect', ({ url }, socket) => {
    asked.push(url);
    const server = connect(Number(target), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    server.pipe(socket).pipe(server);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const program = `
    import { VehicleVerification } from ${JSON.stringify(join(packageFolder, 'dist/index.js'))};
    const [baseUrl, apiKey] = ['http://api.test', 'key'];
    ${example}
    console.log((await client.usage()).key.name);
    dispatcher.destroy();
  `;
  await writeFile(inFolder('proxy.mjs'), program);
  const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  expect([await run('node-20/bin/node', ['proxy.mjs'], env), asked]).toEqual(['Acme', ['api.test:80']]);
  proxy.close();
});

it('A call ends with its timeout on the oldest Node, whose garbage collector takes signals that only another one refers to', async () => {
  const program = `
    import { VehicleVerification } from ${JSON.stringify(join(packageFolder, 'dist/index.js'))};
    let isStalled = false;
    const fetch = async (_url, { signal }) => {
      if (isStalled) return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return Response.json({ results: [{ registration: 'AB12CDE', insured: false }] });
    };
    const client = new VehicleVerification({ baseUrl: 'http://x.example', apiKey: 'k', attempts: 1, timeoutMs: 500, fetch });
    // So many that the call is compiled for speed, after which it keeps no variable longer than it needs to.
    for (let count = 0; count < 2_000; count += 1) await client.verify(['AB12CDE']);
    isStalled = true;
    setInterval(gc, 20);
    setTimeout(() => process.exit(2), 10_000);
    await client.verify(['AB12CDE']).catch(({ name }) => console.log(name));
    process.exit();
  `;
  await writeFile(inFolder('stalled.mjs'), program);
  expect(await run('node-20/bin/node', ['--expose-gc', 'stalled.mjs'])).toBe('ConnectionError');
});

it('An older Node is told which one it needs', async () => {
  const { engines } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  expect(await run(NODE_18, [command, 'usage'])).toBe(
    `The command needs Node ${engines.node.slice(2)} or later, and this is 18.20.8.`,
  );
});

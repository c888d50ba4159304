/** Exits with one sentence instead of a stack trace when packages are missing, or Node is older than Lambda's. */
const { existsSync } = require('node:fs');
const { basename, join, relative } = require('node:path');

if (!existsSync(join(__dirname, '../node_modules'))) {
  process.stderr.write('The packages are not installed: run npm ci first.\n');
  process.exit(1);
}

if (Number.parseInt(process.versions.node, 10) < 24) {
  const script = process.argv[1] ?? '';
  const command = basename(script) === 'app.ts' ? 'cdk synth' : `node ${relative('', script)}`;
  // npm ci installs Node on Linux only, so the message has a remedy for those too.
  process.stderr.write(
    `Node ${process.versions.node} is too old. Install Node 24, or put npx -p node@24 before the command: npx -p node@24 ${command}\n`,
  );
  process.exit(1);
}

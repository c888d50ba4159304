/** Exits with one sentence instead of a stack trace when Node is too old to run TypeScript. */
const { basename, relative } = require('node:path');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  const script = process.argv[1] ?? '';
  const command = basename(script) === 'app.ts' ? 'cdk synth' : `node ${relative('', script)}`;
  // npm ci installs no Node on Windows and on a Mac with an Intel processor, so the message has a remedy for those too.
  process.stderr.write(
    `Node ${process.versions.node} is too old: 22.18 or newer is needed. Install Node 24, or put npx -p node@24 before the command: npx -p node@24 ${command}\n`,
  );
  process.exit(1);
}

/** Ends with one line when Node is too old to run TypeScript, instead of a stack trace. */
const { basename, relative } = require('node:path');

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  const script = process.argv[1] ?? '';
  const command = basename(script) === 'app.ts' ? 'npx cdk synth' : `npx node ${relative('', script)}`;
  process.stderr.write(
    `Node ${process.versions.node} is too old. npm and npx use Node 24, which npm ci installs on Linux and on Apple silicon: ${command}. On other systems, install Node 24.\n`,
  );
  process.exit(1);
}

/** Says in one line that Node is too old to run TypeScript, instead of a stack of the loader. */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Node ${process.versions.node} cannot run this. npm ci brings Node 24 along on Linux and on Apple silicon; elsewhere, install Node 24.\n`,
  );
  process.exit(1);
}

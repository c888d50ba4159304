/** Ends with one line when Node is too old to run TypeScript, instead of a stack trace. */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Node ${process.versions.node} is too old. npm ci installs Node 24 on Linux and on Apple silicon; on other systems, install Node 24.\n`,
  );
  process.exit(1);
}

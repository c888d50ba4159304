#!/usr/bin/env node
import packageJson from '../../package.json' with { type: 'json' };

// This file runs on every Node that knows modules. The command itself does not even load on some older ones.
const needed = packageJson.engines.node.replace('>=', '');
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) {
  const { run } = await import('./main.ts');
  await run();
} else {
  process.stderr.write(`The command needs Node ${needed} or later, and this is ${process.versions.node}.\n`);
  process.exitCode = 2;
}

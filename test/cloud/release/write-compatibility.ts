/** Writes what the checked-out version promises, which the next release must keep: `npm run compatibility`. */
import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../../../bin/command-line.ts';
import { synthesise } from '../stack/synthesise.ts';
import type { Template } from '../stack/templates.ts';
import { apiLines, stackLines } from './compatibility.ts';

readCommandLine(`Usage: npm run compatibility
Writes docs/released/compatibility.txt, what the checked-out version promises and the next release must keep.`);
// With everything that a stage may keep.
const intake = [{ prefix: 'vehicles/', import: 'vehicles', expect: '26h' }];
const { stacks } = synthesise({ prod: { stage: 'prod', settings: { intake } } });
const template = stacks.prod?.template as Template;
const lines = [...apiLines(), ...stackLines(template)].sort();
writeFileSync(new URL('../../../docs/released/compatibility.txt', import.meta.url), `${lines.join('\n')}\n`);
process.stdout.write(`Wrote ${lines.length} lines to docs/released/compatibility.txt.\n`);

/** Writes the promises of the checked-out version, which the next release must keep: `npm run promises`. */
import { writeFileSync } from 'node:fs';
import { readCommandLine } from '../../../core/runtime/command-line.ts';
import { synthesise } from '../stack/synthesise.ts';
import type { Template } from '../stack/templates.ts';
import { apiPromises, stackPromises } from './promises.ts';

readCommandLine(`Usage: npm run promises
Writes docs/released/promises.txt, the promises of the checked-out version, which the next release must keep.`);
// With everything that a stage may keep.
const intake = [{ prefix: 'vehicles/', import: 'vehicles', expect: '26h' }];
const { stacks } = synthesise({ prod: { stage: 'prod', settings: { intake } } });
const template = stacks.prod?.template as Template;
const lines = [...apiPromises(), ...stackPromises(template)].sort();
writeFileSync(new URL('../../../docs/released/promises.txt', import.meta.url), `${lines.join('\n')}\n`);
process.stdout.write(`Wrote ${lines.length} lines to docs/released/promises.txt.\n`);

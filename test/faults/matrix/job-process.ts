/** A job of the matrix in a process of its own: sends its cells and ends with its parent. */
import { type Job, runJob } from './job.ts';

process.on('disconnect', () => process.exit(0));
process.send?.(await runJob(JSON.parse(process.argv[2] ?? '') as Job));

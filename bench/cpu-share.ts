/**
 * The processor time that Lambda gives a function of some memory, imposed on processes of this machine by a control
 * group of Linux. Needs root.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Megabytes that have one whole core (Lambda's documentation, "Configure Lambda function memory"). */
const MEGABYTES_PER_CORE = 1_769;
/** Lambda's own period, as measured from outside: AWS does not document it. */
const PERIOD_US = 20_000;

/** Processes that share the processor time of one size. @throws Error without control groups or root */
export const cpuShareOf = async (memoryMegabytes: number) => {
  const quotaUs = Math.round(PERIOD_US * Math.min(1, memoryMegabytes / MEGABYTES_PER_CORE));
  const isVersion1 = existsSync('/sys/fs/cgroup/cpu');
  const folder = join('/sys/fs/cgroup', isVersion1 ? 'cpu' : '', `bench-${randomUUID()}`);
  const settings = isVersion1
    ? { 'cpu.cfs_period_us': PERIOD_US, 'cpu.cfs_quota_us': quotaUs }
    : { 'cpu.max': `${quotaUs} ${PERIOD_US}` };
  await mkdir(folder);
  for (const [file, value] of Object.entries(settings)) await writeFile(join(folder, file), String(value));
  /** The file that takes the ids of processes. */
  const procs = join(folder, 'cgroup.procs');
  return {
    procs,
    add: (pid: number) => writeFile(procs, String(pid)),
    /** When its processes have ended. */
    remove: () => rmdir(folder),
  };
};

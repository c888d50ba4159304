import { runCommand, succeeds } from '../support/run-command.ts';

/** Programs and the packages that bring them. */
export type Programs = Readonly<Record<string, string>>;

/** Installs the packages of the programs that are missing. @throws Error in words where that cannot be done */
export const requirePrograms = async (programs: Programs): Promise<void> => {
  const present = await Promise.all(Object.keys(programs).map((name) => succeeds('which', [name])));
  const packages = Object.values(programs).filter((_, index) => !present[index]);
  if (packages.length === 0) return;
  if (process.getuid?.() !== 0 || !(await succeeds('which', ['apt-get']))) {
    throw new Error(`Install these first: ${packages.join(', ')}. Only root on Debian gets them installed from here.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand('apt-get', ['update'], { env });
  await runCommand('apt-get', ['install', '--yes', '--no-install-recommends', ...packages], { env });
};

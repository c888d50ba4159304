/** The released lines that are not there any more. New lines break nothing: whatever a new rule takes away is a line that changes. */
export const brokenPromises = (released: readonly string[], current: readonly string[]): string[] => {
  const kept = new Set(current);
  return released.filter((line) => !kept.has(line));
};

/** `name` and all that is below it, with any text in place of `*`. */
const covers = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replaceAll('*', '.*')}(?=[ .[]|$)`);

/**
 * Those that the changelog's newest section does not name, in backquotes, on a line that begins with `- Breaking:`, or with
 * `- Compatible:` where the new line accepts more of requests or promises more of responses. `GET /v1/x 200 body.y` also names what is
 * below it, `* 413` the status 413 of every operation.
 */
export const unannounced = (broken: readonly string[], changelog: string): string[] => {
  const [, newest = ''] = changelog.split(/^## /m);
  const entries = newest.split(/^- /m).filter((entry) => /^(Breaking|Compatible):/.test(entry));
  const names = entries.flatMap((entry) => [...entry.matchAll(/`([^`]+)`/g)].map(([, name = '']) => covers(name)));
  return broken.filter((line) => !names.some((name) => name.test(line)));
};

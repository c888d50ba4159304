/** The released lines that are missing now. New lines break nothing: a new restriction always changes an existing line. */
export const brokenPromises = (released: readonly string[], current: readonly string[]): string[] => {
  const kept = new Set(current);
  return released.filter((line) => !kept.has(line));
};

/** Matches `name` and everything below it; `*` matches any text. */
const covers = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replaceAll('*', '.*')}(?=[ .[]|$)`);

/**
 * The broken promises that the changelog's newest section does not name. It names one in backquotes on a line that begins with
 * `- Breaking:`, or with `- Compatible:` if the new line accepts more requests or promises more about responses.
 * `GET /v1/x 200 body.y` also names everything below it; `* 413` names the status 413 of every operation.
 */
export const unannounced = (broken: readonly string[], changelog: string): string[] => {
  const [, newest = ''] = changelog.split(/^## /m);
  const entries = newest.split(/^- /m).filter((entry) => /^(Breaking|Compatible):/.test(entry));
  const names = entries.flatMap((entry) => [...entry.matchAll(/`([^`]+)`/g)].map(([, name = '']) => covers(name)));
  return broken.filter((line) => !names.some((name) => name.test(line)));
};

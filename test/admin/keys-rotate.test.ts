import { beforeEach, describe, expect, it } from '@jest/globals';
import { hashKey, isWellFormedKey, keyIdOf } from '../../core/access/api-key.ts';
import type { KeyRecord } from '../../core/access/keys-table.ts';
import { keysTable } from '../../lib/admin/keys/keys-table.ts';
import { always, type ChooseFault, forOperation, onNthCall } from '../support/fault-choosers.ts';
import { commandLine, failure, NOW } from './command-line.ts';

/** `NOW` is 2026-11-21 in London: seven days later. */
const IN_A_WEEK = '2026-11-28';

const { run, countedRun, proxy, engine } = commandLine();

interface Rotated {
  readonly id: string;
  readonly key: string;
  readonly previous: object;
}

const keys = () => keysTable(engine().client, engine().names.keys);
const create = async (...args: string[]): Promise<string> => {
  const { stdout } = await run(['keys', 'create', '--name', 'Acme', '--plan', 'standard', '--json', ...args]);
  return (JSON.parse(stdout) as { id: string }).id;
};
const rotate = async (id: string, ...args: string[]) =>
  JSON.parse((await run(['keys', 'rotate', id, '--json', ...args])).stdout) as Rotated;
const successorsOf = async (id: string) => (await keys().list()).filter(({ follows }) => follows === id);

describe('keys rotate', () => {
  it('creates a successor with the same name, plan, scopes, domains and environment, and ends the old key in 7 days', async () => {
    const settings = ['--scopes', 'content:read', '--domains', 'a.example', '--env', 'test', '--expires', '2026-12-31'];
    const old = await create(...settings);
    const { id, key, previous } = await rotate(old);
    expect(key).toMatch(/^vvc_test_/);
    expect([isWellFormedKey(key), keyIdOf(hashKey(key))]).toEqual([true, id]);
    expect(await keys().find(id)).toEqual({
      ...{ id, hash: hashKey(key), name: 'Acme', plan: 'standard', scopes: ['content:read'], domains: ['a.example'] },
      ...{ environment: 'test', createdAt: NOW.toISOString(), follows: old, firstKeyId: old },
    });
    expect(await keys().find(old)).toMatchObject({ expires: IN_A_WEEK, successor: id });
    expect(previous).toMatchObject({ id: old, state: 'active', expires: IN_A_WEEK, successor: id });
  });

  it('shows the successor as readable text, and when the old key ends', async () => {
    const old = await create('--expires', '2026-12-31');
    const { stdout } = await run(['keys', 'rotate', old]);
    expect(stdout).toMatch(
      /^New API key of Acme:\n\n +vvc_live_[0-9A-Za-z]{36}\n\nStore it now: .*once\.\n\nid {7}[0-9a-f]{20}\n/,
    );
    expect(stdout).toContain('expires  never; the old key was to expire after 2026-12-31\n');
    expect(stdout).toContain(`follows  ${old}, which is valid through ${IN_A_WEEK} (Europe/London)\n`);
  });

  it.each([
    ['1', undefined, '2026-11-22'],
    ['365', undefined, '2027-11-21'],
    ['7', '2026-11-25', '2026-11-25'],
    ['7', IN_A_WEEK, IN_A_WEEK],
  ])('with %s days of overlap ends a key that expires on %s after %s', async (days, expires, lastDay) => {
    const old = await create(...(expires === undefined ? [] : ['--expires', expires]));
    await rotate(old, '--overlap-days', days);
    expect(await keys().find(old)).toMatchObject({ expires: lastDay });
  });

  it('counts the days of the overlap from the day in London', async () => {
    const old = await create();
    await run(['keys', 'rotate', old, '--overlap-days', '1'], { now: new Date('2027-06-30T23:30:00Z') });
    expect(await keys().find(old)).toMatchObject({ expires: '2027-07-02' });
  });

  it('without an overlap revokes the old key at once', async () => {
    const old = await create('--expires', '2026-12-31');
    const { stdout } = await run(['keys', 'rotate', old, '--overlap-days', '0']);
    expect(stdout).toContain(`follows  ${old}, which was revoked at ${NOW.toISOString()}\n`);
    expect(await keys().find(old)).toMatchObject({ revokedAt: NOW.toISOString(), expires: '2026-12-31' });
  });

  it('stores the first key of the chain in every successor', async () => {
    const first = await create();
    const second = await rotate(first);
    const third = await rotate(second.id);
    expect(await keys().find(third.id)).toMatchObject({ follows: second.id, firstKeyId: first });
  });

  it('rejects a second rotation and names the successor', async () => {
    const old = await create();
    const { id } = await rotate(old);
    const sentence = `error: key ${old} was already rotated: rotate its successor ${id} instead\n`;
    expect(await run(['keys', 'rotate', old])).toEqual(failure(sentence));
    expect(await successorsOf(old)).toHaveLength(1);
  });

  it('rejects a revoked or expired key, and names the command to use instead', async () => {
    const [revoked, expired] = [await create(), await create('--expires', '2026-11-21')];
    await run(['keys', 'revoke', revoked]);
    const instead = 'and cannot be rotated: create a new one with "keys create"\n';
    expect(await run(['keys', 'rotate', revoked])).toEqual(
      failure(`error: key ${revoked} was revoked at ${NOW.toISOString()} ${instead}`),
    );
    expect(await run(['keys', 'rotate', expired], { now: new Date('2026-11-22T12:00:00Z') })).toEqual(
      failure(`error: key ${expired} expired at the end of 2026-11-21 ${instead}`),
    );
    expect([await successorsOf(revoked), await successorsOf(expired)]).toEqual([[], []]);
  });

  it.each(['-1', '1.5', '366', 'week', ''])(
    'rejects an overlap of "%s" days, and names the allowed values',
    async (days) => {
      const result = await run(['keys', 'rotate', '0'.repeat(20), '--overlap-days', days]);
      expect(result).toEqual(failure('Write a whole number of days from 0 to 365; 0 revokes the old key at once'));
    },
  );

  it('requires --env when the record of an early version has no environment', async () => {
    const id = 'e'.repeat(20);
    const early = { name: 'Early', plan: 'free', scopes: [], createdAt: '2026-01-01T08:00:00.000Z' } as const;
    await keys().add({ id, hash: 'e'.repeat(64), ...early });
    expect(await run(['keys', 'rotate', id])).toEqual(failure('or --env test if it begins with vvc_test_'));
    expect((await rotate(id, '--env', 'test')).key).toMatch(/^vvc_test_/);
    const other = await create();
    expect(await run(['keys', 'rotate', other, '--env', 'test'])).toEqual(
      failure(`error: key ${other} is a live key, and so is its successor: leave out --env test\n`),
    );
  });
});

describe('keys rotate, when responses of the database are lost', () => {
  const rotateLosing = async (choose: ChooseFault) => {
    const old = await create();
    proxy().inject(forOperation('TransactWriteItems', choose));
    return { ...(await countedRun(['keys', 'rotate', old, '--json'])), old };
  };

  it.each([
    ['the first', onNthCall(1, 'resetAfter')],
    ['the first, cut in the middle', onNthCall(1, 'truncate')],
    ['the first, as an error', onNthCall(1, 'errorAfter')],
  ])('shows the one key that was stored: %s', async (_which, choose) => {
    const { exitCode, stdout, stderr, old } = await rotateLosing(choose);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { id, key } = JSON.parse(stdout) as Rotated;
    expect([keyIdOf(hashKey(key)), (await successorsOf(old)).map((successor) => successor.id)]).toEqual([id, [id]]);
  });

  it('shows the key that was stored when the outcome of the transaction remains unknown', async () => {
    let calls = 0;
    const { exitCode, stdout, stderr, old } = await rotateLosing(() => {
      calls += 1;
      return calls === 1 ? 'resetAfter' : 'deny';
    });
    expect({ exitCode, stderr, calls }).toEqual({ exitCode: 0, stderr: '', calls: 2 });
    expect((await successorsOf(old)).map(({ id }) => id)).toEqual([(JSON.parse(stdout) as Rotated).id]);
  });

  it('reports an error, shows no key and changes nothing when nothing was stored', async () => {
    const { old, ...result } = await rotateLosing(always('deny'));
    expect(result).toEqual(failure(/answered with AccessDeniedException"/));
    expect(await successorsOf(old)).toEqual([]);
    expect(await keys().find(old)).not.toHaveProperty('expires');
  });
});

describe('keys rotate, at the same time as another change', () => {
  let old: string;
  beforeEach(async () => {
    old = await create();
  });

  it('creates one successor in concurrent rotations, and names it in the errors of the others', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => run(['keys', 'rotate', old, '--json'])));
    const successors = await successorsOf(old);
    expect(successors).toHaveLength(1);
    const [shown, ...others] = results.toSorted((a, b) => a.exitCode - b.exitCode);
    expect(JSON.parse(shown?.stdout ?? '')).toMatchObject({ id: successors[0]?.id });
    for (const other of others) expect(other).toEqual(failure(`rotate its successor ${successors[0]?.id}`));
  });

  /** Rotates while another change happens after the old key was read and before the transaction is applied. */
  const rotateDuring = async (change: () => Promise<unknown>) => {
    let changing: Promise<void> | undefined;
    let isChanged = false;
    proxy().inject(({ operation }) => {
      if (operation !== 'TransactWriteItems' || isChanged) return undefined;
      changing ??= change().then(() => {
        isChanged = true;
      });
      return 'error';
    });
    const result = await countedRun(['keys', 'rotate', old, '--json']);
    await changing;
    return result;
  };

  it('creates no successor of a key that was revoked meanwhile', async () => {
    const result = await rotateDuring(() => keys().revoke(old, NOW.toISOString()));
    expect(result).toEqual(failure(`key ${old} was revoked at ${NOW.toISOString()} and cannot be rotated`));
    expect(await successorsOf(old)).toEqual([]);
  });

  it('gives the successor the plan and domains that the key got meanwhile', async () => {
    const result = await rotateDuring(() => keys().update(old, { plan: 'premium', domains: ['b.example'] }));
    expect(JSON.parse(result.stdout)).toMatchObject({ plan: 'premium', domains: ['b.example'] });
    expect(await successorsOf(old)).toMatchObject([{ plan: 'premium', domains: ['b.example'] }]);
  });

  it('names the successor that another rotation created meanwhile', async () => {
    const result = await rotateDuring(() => run(['keys', 'rotate', old]));
    const [successor, ...more] = await successorsOf(old);
    expect(more).toEqual([]);
    expect(result).toEqual(failure(`rotate its successor ${successor?.id}`));
  });

  it('rotates and revokes in one order or the other, never partially', async () => {
    const [rotated, revoked] = await Promise.all([
      run(['keys', 'rotate', old, '--json']),
      run(['keys', 'revoke', old, '--json']),
    ]);
    expect(revoked.exitCode).toBe(0);
    const record = (await keys().find(old)) as KeyRecord;
    expect(record.revokedAt).toBe(NOW.toISOString());
    const successors = await successorsOf(old);
    if (rotated.exitCode === 0) expect(successors.map(({ id }) => id)).toEqual([record.successor]);
    else {
      expect(rotated).toEqual(failure('cannot be rotated'));
      expect([successors, record.successor]).toEqual([[], undefined]);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect } from '@jest/globals';
import { type Admin, createKey } from '../../black-box/prepare-target.ts';
import type { HttpCaller } from '../../support/http-caller.ts';
import { runCommand } from '../../support/run-command.ts';
import { documentedCommands, runDocumented } from './documented-commands.ts';

/** What docs/operations.md writes for names that only an operator knows, and the names here. */
export type Names = Readonly<
  Record<
    'CONTENT_TABLE' | 'KEYS_TABLE' | 'VEHICLES_TABLE' | 'vehicle-verification-prod' | 'restored.ndjson' | 'erased.txt',
    string
  >
>;

/** Who follows the section "Restore" of docs/operations.md to the letter. */
export type RestoringOperator = ReturnType<typeof restoringOperator>;

/** Runs the section "Restore" of docs/operations.md, with changes between a restore point and the copying. */
export const restoringOperator = (names: Names, env: NodeJS.ProcessEnv) => {
  const content = documentedCommands('Restore', 'restored-content');
  const keys = documentedCommands('Restore', 'restored-keys');
  const vehicles = documentedCommands('Restore', 'restored-vehicles');
  const runAll = (commands: readonly string[]) => runDocumented(commands, names, env);

  /** Runs the commands until the restored table is there, then what happens meanwhile, then the others. */
  const restore = async <T>(commands: readonly string[], meanwhile: () => Promise<T>): Promise<T> => {
    const isThere = commands.findIndex((command) => command.startsWith('aws dynamodb wait')) + 1;
    expect(isThere).toBeGreaterThan(0);
    await runAll(commands.slice(0, isThere));
    const result = await meanwhile();
    await runAll(commands.slice(isThere));
    return result;
  };

  const aws = (...args: string[]) => runCommand('aws', ['dynamodb', ...args], { env });

  return {
    /** A deleted item comes back, one that was made after the restore point stays. */
    restoreContent: async ({ call }: HttpCaller): Promise<void> => {
      const domain = `d${randomUUID().slice(0, 8)}.example`;
      const create = async (slug: string): Promise<string> =>
        String((await call('POST', '/v1/api/content', { json: { title: slug, content: slug, domain, slug } })).body.id);
      const old = await create('old');
      const later = await restore(content, async () => {
        expect((await call('DELETE', `/v1/api/content/${old}`)).status).toBe(204);
        return create('later');
      });
      for (const id of [old, later]) expect((await call('GET', `/v1/api/content/${id}`)).status).toBe(200);
      expect((await call('GET', `/v1/api/content?domain=${domain}`)).body.total).toBe(2);
    },

    /** A key that is missing comes back, one that was revoked after the restore point stays revoked. */
    restoreKeys: async ({ call }: HttpCaller, admin: Admin): Promise<void> => {
      const revoked = await createKey(admin, 'free');
      const missing = await createKey(admin, 'free');
      const statusWith = async (key: string) => (await call('GET', '/v1/vehicle/AB12CDE/insurance', { key })).status;
      await restore(keys, async () => {
        await admin('keys', 'revoke', revoked.id);
        await aws('delete-item', '--table-name', names.KEYS_TABLE, '--key', JSON.stringify({ id: { S: missing.id } }));
        expect(await statusWith(missing.key)).toBe(401);
      });
      expect([await statusWith(revoked.key), await statusWith(missing.key)]).toEqual([401, 200]);
    },

    /** A record that is missing comes back, one that was erased stays erased. */
    restoreVehicles: async ({ call }: HttpCaller, admin: Admin, missing: string, erased: string): Promise<void> => {
      const statusOf = async (key: string) => (await call('GET', `/v1/vehicle/${key}/insurance`)).status;
      expect([await statusOf(missing), await statusOf(erased)]).toEqual([200, 200]);
      await restore(vehicles, async () => {
        await admin('remove', 'vehicles', '--registration', missing, erased);
        await writeFile(names['erased.txt'], `${erased}\n`);
        expect(await statusOf(missing)).toBe(404);
      });
      expect([await statusOf(missing), await statusOf(erased)]).toEqual([200, 404]);
    },

    /** The restored tables are deleted afterwards. */
    leavesNoTable: async (): Promise<void> => {
      expect(await aws('list-tables')).not.toMatch(/"restored-/);
    },
  };
};

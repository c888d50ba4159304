import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { startEngine } from '../support/engine.ts';
import { vehicleRow, vehiclesCsv } from '../support/import-files.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const ADMIN = fileURLToPath(new URL('../../bin/admin.ts', import.meta.url));
const ROUNDS = bySize(2, 100);
const VEHICLES = bySize(200, 1_000);
const SUPPLIERS = ['acme', 'mutual', 'zeta'] as const;

/** Of every fifth vehicle this supplier has nothing in this round: the file is complete, so that it goes. */
const isMissing = (vehicle: number, supplier: number, round: number): boolean => (vehicle + supplier + round) % 5 === 0;

/** A complete file of one supplier. Two vehicles in three change from round to round. */
const fileOf = (supplier: number, round: number): string => {
  const rows: string[] = [];
  for (let vehicle = 0; vehicle < VEHICLES; vehicle += 1) {
    if (isMissing(vehicle, supplier, round)) continue;
    const policy_number = `${SUPPLIERS[supplier]}-${vehicle % 3 === 0 ? 0 : round}`;
    rows.push(vehicleRow({ registration: `AT${vehicle}`, policy_number, color: SUPPLIERS[supplier] ?? '' }));
  }
  return vehiclesCsv(...rows);
};

it(
  'Three suppliers who load complete files of the same vehicles at once lose nothing of each other',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'suppliers-'));
    const engine = await startEngine();
    const target = ['--dynamodb', engine.endpoint, '--tables', engine.names.keys.replace(/keys$/, '')];

    const load = async (supplier: number, round: number): Promise<unknown> => {
      const path = join(folder, `${supplier}.csv`);
      await writeFile(path, fileOf(supplier, round));
      const options = ['--supplier', SUPPLIERS[supplier] ?? '', '--complete', '--remove-at-most=100%'];
      const child = spawn(process.execPath, [ADMIN, 'import', 'vehicles', path, ...options, ...target], {
        stdio: 'ignore',
      });
      const [exitCode] = await once(child, 'exit');
      return exitCode;
    };

    /** The number of the policy of each supplier, by registration. */
    const stored = async (): Promise<ReadonlyMap<string, string>> => {
      const input = { TableName: engine.names.vehicles, ConsistentRead: true };
      const pages = await Array.fromAsync(paginateScan({ client: engine.client }, input));
      const records = pages.flatMap(({ Items = [] }) => Items);
      return new Map(
        records.map(({ registration, policies, supplied }) => {
          const said = policies.map((policy: Record<string, string>) => `${policy.supplier} ${policy.number}`);
          return [registration, `${said} of ${Object.keys(supplied).sort()}`];
        }),
      );
    };

    const expected = (round: number): ReadonlyMap<string, string> => {
      const records = new Map<string, string>();
      for (let vehicle = 0; vehicle < VEHICLES; vehicle += 1) {
        const names = SUPPLIERS.filter((_, supplier) => !isMissing(vehicle, supplier, round));
        const said = names.map((name) => `${name} ${name}-${vehicle % 3 === 0 ? 0 : round}`);
        records.set(`AT${vehicle}`, `${said} of ${names}`);
      }
      return records;
    };

    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const exitCodes = await Promise.all(SUPPLIERS.map((_, supplier) => load(supplier, round)));
        expect({ round, exitCodes }).toEqual({ round, exitCodes: [0, 0, 0] });
        expect(await stored()).toEqual(expected(round));
      }
      reportFigures('suppliers at once', { rounds: ROUNDS, vehicles: VEHICLES, processes: SUPPLIERS.length });
    } finally {
      await engine.stop();
      await rm(folder, { recursive: true });
    }
  },
  TIMEOUT_MS,
);

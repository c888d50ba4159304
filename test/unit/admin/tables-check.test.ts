import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { useAdmin } from '../../support/use-admin.ts';

const { engine, run, json } = useAdmin();

const put = (TableName: string, Item: object) => engine().client.send(new PutCommand({ TableName, Item }));

describe('tables check', () => {
  it('exits with 0 when the tables of vehicles and compliance have their keys and readable records', async () => {
    const { names } = engine();
    expect(await json(['tables', 'check'])).toMatchObject({
      tables: [
        { table: 'vehicles', problem: 'it has no items' },
        { table: 'compliance', problem: 'it has no items' },
      ],
    });
    await put(names.vehicles, aVehicle('AB12CDE'));
    await put(names.vehicles, { registration: 'DAMAGED' });
    await put(names.compliance, aCompliance('AB12CDE'));
    const { exitCode, stdout } = await run(['tables', 'check']);
    expect(exitCode).toBe(0);
    expect(stdout.match(/can be used/g)).toEqual(['can be used', 'can be used']);
  });

  it('exits with 1 and the reason for a table that cannot be used', async () => {
    const { names } = engine();
    const problemOf = async (name: string) => {
      const { exitCode, stdout } = await run(['tables', 'check', 'vehicles', '--tables', `vehicles=${name}`]);
      return [exitCode, new RegExp(`^vehicles +${name} +(.*)$`, 'm').exec(stdout)?.[1]];
    };
    await put(names.compliance, { registration: 'CD34EFG', mot: null });
    expect(await problemOf(names.content)).toEqual([1, 'its key is pk (S) and sk (S), not registration (S)']);
    expect(await problemOf('nowhere')).toEqual([1, 'it does not exist in this account and region']);
    expect(await problemOf(names.compliance)).toEqual([1, 'none of its items that were read is a record of vehicles']);
  });
});

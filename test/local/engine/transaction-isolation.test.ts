import { randomUUID } from 'node:crypto';
import { TransactGetItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TransactWrite, transact } from '../../../core/dynamodb/transact.ts';
import { deadlineIn } from '../../../core/runtime/deadline.ts';
import { startEngine, type TestEngine } from '../../support/engine.ts';
import { add, read, write } from './writes.ts';

const DEADLINE_MS = 25_000;

let engine: TestEngine;
let table: string;
const fresh = () => randomUUID();

beforeAll(async () => {
  engine = await startEngine();
  table = engine.names.keys;
});
afterAll(() => engine.stop());

const amountOf = async (id: string) => Number((await read(engine.client, table, id))?.amount?.N ?? 0);

/** Both amounts at one moment; undefined when the read conflicted with a transaction. */
const bothAmounts = async (left: string, right: string): Promise<number[] | undefined> => {
  const gets = [left, right].map((id) => ({ Get: { TableName: table, Key: { id: { S: id } } } }));
  try {
    const { Responses = [] } = await engine.client.send(new TransactGetItemsCommand({ TransactItems: gets }));
    return Responses.map(({ Item }) => Number(Item?.amount?.N ?? 0));
  } catch (error) {
    if (error instanceof Error && error.name === 'TransactionCanceledException') return undefined;
    throw error;
  }
};

/** An increment in plain values, as `transact` takes them. */
const increment = (id: string, by: number): TransactWrite => ({
  Update: {
    TableName: table,
    Key: { id },
    UpdateExpression: 'ADD amount :by',
    ExpressionAttributeValues: { ':by': by },
  },
});

const apply = (...writes: TransactWrite[]) => transact(engine.client, writes, deadlineIn(DEADLINE_MS));

const transfer = (from: string, to: string) => apply(increment(from, -1), increment(to, 1));

describe('concurrent transactions', () => {
  it('each apply exactly once, and no reader sees one partially applied', async () => {
    const [left, right] = [fresh(), fresh()];
    await write(engine.client, [add(table, left, 100), add(table, right, 0)]);
    let working = true;
    const reader = async () => {
      const sums = new Set<number>();
      while (working) {
        const amounts = await bothAmounts(left, right);
        if (amounts !== undefined) sums.add(amounts.reduce((sum, amount) => sum + amount, 0));
      }
      return sums;
    };
    const readers = [reader(), reader()];
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => transfer(left, right)));
    working = false;
    for (const sums of await Promise.all(readers)) expect([...sums].filter((sum) => sum !== 100)).toEqual([]);
    expect(outcomes.every(({ committed }) => committed)).toBe(true);
    expect([await amountOf(left), await amountOf(right)]).toEqual([60, 40]);
  });

  it('lose no update to single writes of the same item', async () => {
    const [counted, other] = [fresh(), fresh()];
    const single = new UpdateItemCommand({
      TableName: table,
      Key: { id: { S: counted } },
      UpdateExpression: 'ADD amount :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    });
    const singles = Promise.allSettled(Array.from({ length: 40 }, () => engine.client.send(single)));
    await Promise.all(Array.from({ length: 20 }, () => apply(increment(counted, 1), increment(other, 1))));
    const written = (await singles).filter(({ status }) => status === 'fulfilled').length;
    expect(await amountOf(counted)).toBe(20 + written);
    expect(await amountOf(other)).toBe(20);
  });

  it('let exactly one of fifty claims succeed', async () => {
    const claim = fresh();
    const owners = Array.from({ length: 50 }, fresh);
    const outcomes = await Promise.all(
      owners.map((owner) =>
        apply(
          { Put: { TableName: table, Item: { id: claim }, ConditionExpression: 'attribute_not_exists(id)' } },
          { Put: { TableName: table, Item: { id: owner } } },
        ),
      ),
    );
    expect(outcomes.filter(({ committed }) => committed)).toHaveLength(1);
    const present = await Promise.all(owners.map((owner) => read(engine.client, table, owner)));
    expect(present.filter((item) => item !== undefined)).toHaveLength(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import { EVERY_SUPPLIER, findLoadSince, readFinishedLoads, recordFinishedLoad } from '../../../core/finished-loads.ts';
import { useEngine } from '../../support/use-engine.ts';

describe('Finished loads', () => {
  const engine = useEngine();
  const record = (targets: Parameters<typeof recordFinishedLoad>[2], id: string, at = '2026-06-15T12:00:00.000Z') =>
    recordFinishedLoad(engine.client, engine.names.usage, targets, { id, at });
  const read = () => readFinishedLoads(engine.client, engine.names.usage);

  it('are none before the first one', async () => {
    expect((await read())({ kind: 'vehicles' })).toBeUndefined();
  });

  it('are the last one of each kind and supplier', async () => {
    await record([{ kind: 'vehicles', supplier: 'acme' }], 'first');
    await record([{ kind: 'vehicles', supplier: 'acme' }], 'second', '2026-06-16T12:00:00.000Z');
    await record([{ kind: 'vehicles' }, { kind: 'mot' }], 'nameless');
    await record([{ kind: 'vehicles', supplier: EVERY_SUPPLIER }], 'removal');
    const find = await read();
    expect(find({ kind: 'vehicles', supplier: 'acme' })).toEqual({ id: 'second', at: '2026-06-16T12:00:00.000Z' });
    expect(find({ kind: 'vehicles', supplier: '-' })?.id).toBe('nameless');
    expect(find({ kind: 'mot' })?.id).toBe('nameless');
    expect(find({ kind: 'vehicles', supplier: EVERY_SUPPLIER })?.id).toBe('removal');
    expect(find({ kind: 'vehicles', supplier: 'zeta' })).toBeUndefined();
    expect(find({ kind: 'mot', supplier: 'acme' })).toBeUndefined();
  });

  it('have one that began and ended while another one ran', async () => {
    const began = '2026-06-17T12:00:00.000Z';
    const targets = [{ kind: 'vehicles', supplier: 'slow' }] as const;
    await record(targets, 'short', '2026-06-17T12:10:00.000Z');
    // The response to the first attempt was lost.
    for (const _attempt of [1, 2]) await record(targets, 'long', '2026-06-17T12:20:00.000Z');
    const long = { load: 'long', supplier: 'slow', began };
    expect(await findLoadSince(engine.client, engine.names.usage, ['vehicles'], long)).toMatchObject({ id: 'short' });
  });
});

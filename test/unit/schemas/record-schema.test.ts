/** Records as earlier and later releases wrote them: test/unit/stored-items. */
import { describe, expect, it } from '@jest/globals';
import { parseStored, type RecordSchema, readStored, UnreadableRecord } from '../../../core/schemas/record-schema.ts';

const TEXT = { type: 'string' } as const;
const RECORD = { type: 'object', required: ['id'], properties: { id: TEXT, note: TEXT } } as const;
const EITHER = { anyOf: [{ type: 'integer' }, RECORD] } as const;
const YES = { const: true } as const;
const COLOUR = { enum: ['red', 'blue'] } as const;

describe('A stored value', () => {
  it.each<[RecordSchema, unknown]>([
    [TEXT, ''],
    [{ type: 'integer' }, 0],
    [{ type: 'boolean' }, false],
    [YES, true],
    [COLOUR, 'blue'],
    [RECORD, { id: '1', note: 'x' }],
    [RECORD, { id: '1' }],
    [{ type: 'array', items: TEXT }, ['a', 'b']],
    [{ type: 'array', items: TEXT }, []],
    [EITHER, 7],
    [EITHER, { id: '1' }],
  ])('of the schema %j is read as it is: %j', (schema, value) => {
    expect(readStored(schema, value)).toStrictEqual(value);
  });

  it.each<[RecordSchema, unknown]>([
    [TEXT, 1],
    [{ type: 'integer' }, 1.5],
    [{ type: 'integer' }, '1'],
    [{ type: 'boolean' }, 'true'],
    [YES, false],
    [YES, 'true'],
    [COLOUR, 'green'],
    [RECORD, { note: 'x' }],
    [RECORD, { id: 1 }],
    [RECORD, { id: '1', note: 1 }],
    [RECORD, null],
    [RECORD, '1'],
    [{ type: 'object' }, '1'],
    [{ type: 'array', items: TEXT }, ['a', 1]],
    [{ type: 'array', items: TEXT }, 'a'],
    [EITHER, 'a'],
  ])('of the schema %j does not fit: %j', (schema, value) => {
    expect(readStored(schema, value)).toBeUndefined();
  });

  it('loses the attributes that its schema does not know, at every depth', () => {
    const stored = { id: '1', later: true };
    expect(readStored(RECORD, stored)).toStrictEqual({ id: '1' });
    expect(readStored({ type: 'array', items: EITHER }, [stored])).toStrictEqual([{ id: '1' }]);
  });

  it('that does not fit is an error with the name that the operator gets', () => {
    expect(parseStored(RECORD, { id: '1' }, 'key 1')).toEqual({ id: '1' });
    expect(() => parseStored(RECORD, {}, 'key 1')).toThrow(new UnreadableRecord('key 1'));
    expect(new UnreadableRecord().name).toBe('UnreadableRecord');
  });
});

import { describe, expect, it } from '@jest/globals';
import { generateKey, hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { apiError } from '../../core/problems.ts';
import { keyForm, presentedKey } from '../../functions/http/key-form.ts';
import { httpRequest } from '../support/http-request.ts';

describe('The key of a request', () => {
  const key = generateKey('test');
  const other = generateKey('test');

  it.each([
    { authorization: `Bearer ${key}` },
    { authorization: `bEARER   ${key} ` },
    { 'x-api-key': ` ${key} ` },
    { authorization: 'Basic abc', 'x-api-key': key },
    { authorization: `xBearer ${other}`, 'x-api-key': key },
    { authorization: ' ', 'x-api-key': key },
    { authorization: `Bearer ${key}`, 'x-api-key': ' ' },
    { authorization: `Bearer ${key}`, 'x-api-key': key },
  ])('is found in headers %#', (headers) => {
    expect(presentedKey(headers)).toEqual({ id: keyIdOf(hashKey(key)), hash: hashKey(key), kind: 'test' });
  });

  it.each([
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'hunter2' },
    { authorization: key },
    { authorization: `Bearer${key}` },
    { authorization: 'Bearer', 'x-api-key': key },
    { authorization: `Bearer ${key}`, 'x-api-key': other },
  ])('is not found in headers %#', (headers) => expect(presentedKey(headers)).toBeUndefined());

  const read = async (headers: object) => {
    const request = httpRequest({ headers });
    await keyForm().before(request);
    return request.internal;
  };

  it('is set in the request context', async () => {
    const context = await read({ 'X-API-Key': key });
    expect(context.key?.id).toBe(keyIdOf(hashKey(key)));
  });

  it('is required: otherwise UNAUTHORIZED', async () => {
    await expect(read({})).rejects.toThrow(apiError('UNAUTHORIZED'));
  });
});

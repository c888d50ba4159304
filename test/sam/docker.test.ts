import { describe, expect, it } from '@jest/globals';
import { gatewayOf } from '../../lib/local/sam/docker.ts';

describe('The address at which containers find their engine’s machine', () => {
  it('is the gateway of the bridge', () => {
    expect(gatewayOf([{ Subnet: '172.17.0.0/16', Gateway: '172.17.0.9' }])).toBe('172.17.0.9');
  });

  it('is the first of the subnet while the bridge does not tell', () => {
    expect(gatewayOf([{ Subnet: '10.88.4.0/24' }])).toBe('10.88.4.1');
  });

  it('is not known without a bridge', () => {
    expect(gatewayOf([])).toBeUndefined();
  });
});

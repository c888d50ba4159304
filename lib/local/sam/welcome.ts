import type { SamService } from './service.ts';

/** What `npm run sam` says when it is ready: where everything is, and a request to paste. */
export const welcome = ({ origin, dynamodb, keys }: SamService): string => {
  const plans = Object.entries(keys).map(([plan, key]) => `    ${plan.padEnd(9)} ${key}`);
  return [
    'Vehicle verification API, in Lambda containers',
    `  Base address  ${origin}/v1`,
    `  DynamoDB      ${dynamodb}`,
    '',
    '  Demo keys, one per plan',
    ...plans,
    '',
    '  Try (the first request to each endpoint starts its container)',
    `    curl -s -H 'X-API-Key: ${keys.free}' ${origin}/v1/vehicle/AB12CDE/insurance`,
    '',
    'Ready. Ctrl-C stops it.',
  ].join('\n');
};

import type { LocalService } from './service.ts';

/** What `npm start` says when it is ready: where everything is, and two requests to paste. */
export const welcome = ({ origin, dynamodb, keys }: LocalService): string => {
  const base = `${origin}/v1`;
  const plans = Object.entries(keys).map(([plan, key]) => `    ${plan.padEnd(9)} ${key}`);
  return [
    'Vehicle verification API',
    `  Base address  ${base}`,
    `  Reference     ${origin}/docs`,
    `  DynamoDB      ${dynamodb}`,
    '',
    '  Demo keys, one per plan',
    ...plans,
    '',
    '  Try',
    `    curl -s -H 'X-API-Key: ${keys.free}' ${base}/vehicle/AB12CDE/insurance`,
    `    curl -s -H 'Authorization: Bearer ${keys.standard}' -H 'Content-Type: application/json' -d '{"registrations":["AB12 CDE","DG65 OLD","NO 5UCH"]}' ${base}/vehicle/bulk-insurance`,
    '',
    'Ready. Ctrl-C stops it.',
  ].join('\n');
};

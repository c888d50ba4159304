import { PLAN_NAMES } from '../../core/access/plans.ts';
import type { DemoKeys } from './demo-keys.ts';
import { DEFAULT_DYNAMODB_PORT } from './options.ts';

/** The contents of the banner. */
export interface StartBanner {
  readonly title: string;
  readonly origin: string;
  /** Label and value of each line above the engine's. */
  readonly addresses: readonly (readonly [label: string, value: string])[];
  /** The address of the engine. */
  readonly dynamodb: string;
  readonly keys: DemoKeys;
  /** The heading of the requests. */
  readonly heading: string;
  /** Commands to paste. */
  readonly requests: readonly string[];
}

/** The setting that `npm run admin` needs for an engine of this machine on another port than its default. */
const engineSetting = (dynamodb: string): string => {
  const { hostname, port } = new URL(dynamodb);
  return ['127.0.0.1', 'localhost'].includes(hostname) && port !== String(DEFAULT_DYNAMODB_PORT)
    ? ` DYNAMODB_PORT=${port}`
    : '';
};

/** The text that is printed when the service is ready: addresses, demo keys, the environment of the examples in docs/, and commands to paste. */
export const startBanner = ({ title, origin, addresses, dynamodb, keys, heading, requests }: StartBanner): string =>
  [
    title,
    ...[...addresses, ['DynamoDB', dynamodb]].map(([label = '', value]) => `  ${label.padEnd(13)} ${value}`),
    '',
    '  Demo keys, one per plan',
    ...PLAN_NAMES.map((plan) => `    ${plan.padEnd(9)} ${keys[plan]}`),
    '',
    '  Test key: sees the sandbox only, as on every deployment',
    `    test      ${keys.test}`,
    '',
    `  ${heading}`,
    `    export API_ORIGIN=${origin} API_KEY=${keys.standard} API_TEST_KEY=${keys.test}${engineSetting(dynamodb)}`,
    ...requests.map((request) => `    ${request}`),
    '',
    'Ready. Ctrl-C stops it.',
  ].join('\n');

import { PLAN_NAMES } from '../../core/access/plans.ts';
import type { DemoKeys } from './demo-keys.ts';

/** The contents of the banner. */
export interface StartBanner {
  readonly title: string;
  readonly origin: string;
  /** Label and value of each line at the top. */
  readonly addresses: readonly (readonly [label: string, value: string])[];
  readonly keys: DemoKeys;
  /** The heading of the requests. */
  readonly heading: string;
  /** Commands to paste. */
  readonly requests: readonly string[];
}

/** The text that is printed when the service is ready: addresses, demo keys, the environment of the examples in docs/, and commands to paste. */
export const startBanner = ({ title, origin, addresses, keys, heading, requests }: StartBanner): string =>
  [
    title,
    ...addresses.map(([label, value]) => `  ${label.padEnd(13)} ${value}`),
    '',
    '  Demo keys, one per plan',
    ...PLAN_NAMES.map((plan) => `    ${plan.padEnd(9)} ${keys[plan]}`),
    '',
    '  Test key: sees the sandbox only, as on every deployment',
    `    test      ${keys.test}`,
    '',
    `  ${heading}`,
    `    export API_ORIGIN=${origin} API_KEY=${keys.standard} API_TEST_KEY=${keys.test}`,
    ...requests.map((request) => `    ${request}`),
    '',
    'Ready. Ctrl-C stops it.',
  ].join('\n');

import { PLAN_NAMES } from '../../core/access/plans.ts';
import type { DemoKeys } from './demo-keys.ts';

/** The contents of the banner. */
export interface StartBanner {
  readonly title: string;
  /** Label and value of each line at the top. */
  readonly addresses: readonly (readonly [label: string, value: string])[];
  readonly keys: DemoKeys;
  /** The heading of the requests. */
  readonly heading: string;
  /** Commands to paste; they may use `$KEY`. */
  readonly requests: readonly string[];
}

/** The text that is printed when the service is ready: addresses, demo keys, and commands to paste, with the key as `KEY`. */
export const startBanner = ({ title, addresses, keys, heading, requests }: StartBanner): string =>
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
    `    export KEY=${keys.standard}`,
    ...requests.map((request) => `    ${request}`),
    '',
    'Ready. Ctrl-C stops it.',
  ].join('\n');

import { InvalidArgumentError, Option } from 'commander';
import { CreateContent } from '../../core/content/schemas.ts';
import { validationIssues } from '../../core/schemas/validation-issues.ts';
import { CommandFailure } from '../command/command-result.ts';
import { printable } from '../command/format.ts';
import type { Deployment } from '../deployment/deployment.ts';

/** Maximum number of domains of one key: an API error lists them all. */
const MAX_DOMAINS = 50;

const isDomain = (text: string): boolean => validationIssues(CreateContent.properties.domain, text).length === 0;

/** Each domain once, in lower case. */
const parseDomains = (text: string): string[] => {
  const domains = text.split(',').map((domain) => domain.trim());
  if (!domains.every(isDomain)) {
    throw new InvalidArgumentError(
      'Write whole domains separated by commas, such as a.example,b.example: letters, digits and hyphens in labels joined by dots, at most 253 characters each.',
    );
  }
  const distinct = [...new Set(domains.map((domain) => domain.toLowerCase()))];
  if (distinct.length <= MAX_DOMAINS) return distinct;
  throw new InvalidArgumentError(`Write at most ${MAX_DOMAINS} domains, or create one key for each group of them.`);
};

/** A command that requires it calls `required`. */
export const planOption = (description: string) => new Option('--plan <plan>', description);

/** @throws CommandFailure when the stage has no plan of this name */
export const requirePlan = <Name extends string | undefined>(plan: Name, { plans }: Deployment): Name => {
  if (plan === undefined || Object.hasOwn(plans, plan)) return plan;
  throw new CommandFailure(`there is no plan ${printable(plan)}: there are ${Object.keys(plans).join(', ')}`);
};

/** Its value: each domain once, in lower case. */
export const domainsOption = (description: string) =>
  new Option('--domains <domains>', description).argParser(parseDomains);

/** Commander's own check would come before its suggestion for a misspelt option. @throws CommandFailure if missing */
export const required = <Value>(value: Value | undefined, option: string): Value => {
  if (value !== undefined) return value;
  throw new CommandFailure(`the option ${option} is missing; see --help`);
};

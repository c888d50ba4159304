import { AwsSolutionsChecks, type IApplyRule } from 'cdk-nag';

/** The rules of AwsSolutions that do not suit the service. */
const LEFT_OUT = [
  // The functions check the API key together with its exact rate limit. An authoriser would add a round trip.
  'APIG4',
  // A build leaves nothing that is encrypted.
  'CB4',
  // Tests compare every permission of functions, builds and people, those with a wildcard too.
  'IAM5',
  // Each load has a report with the file's name and version, and an access log of the audit's log would never end.
  'S1',
];

/**
 * Fails the synthesis of a stack that violates a rule of AwsSolutions, except those in `LEFT_OUT`, of which it reports
 * nothing anywhere. Of these only the wildcards of IAM5 have tests: test/cloud/stack.
 */
export class AwsSolutions extends AwsSolutionsChecks {
  protected override applyRule(rule: IApplyRule): void {
    if (!LEFT_OUT.includes(String(rule.ruleSuffixOverride))) super.applyRule(rule);
  }
}

import { Fn } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { HttpFunction } from '../functions/http/endpoint-definition.ts';
import { allow } from './permissions.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * A KMS key for each name of the setting `signedAnswers`. It is retained, as keys are by default, when its name or the
 * stack is deleted: an answer can be verified only with the public key of the key that signed it.
 */
export class SigningKeys extends Construct {
  readonly environment: Readonly<Record<string, string>>;
  private readonly keys: readonly Key[];

  constructor(
    scope: Construct,
    id: string,
    { stage, signedAnswers }: Required<Pick<StageSettings, 'stage' | 'signedAnswers'>>,
  ) {
    super(scope, id);
    const { issuer, keys, retired } = signedAnswers;
    this.keys = keys.map((name) => {
      const description = `Signed answers of the vehicle verification API, stage ${stage}, key ${name}`;
      const key = { description, keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.SIGN_VERIFY };
      return new Key(this, name, key);
    });
    this.environment = {
      SIGNED_ANSWERS_ISSUER: issuer,
      SIGNING_KEYS: Fn.join(',', [...this.arns]),
      ...(retired && { RETIRED_SIGNING_KEYS: JSON.stringify(retired) }),
    };
  }

  private get arns(): readonly string[] {
    return this.keys.map(({ keyArn }) => keyArn);
  }

  /**
   * Permits the actions of an endpoint on every key, not only on the first: while a deployment moves the aliases,
   * and after a roll back, older versions sign with the key that was first when they were deployed.
   */
  statements({ signing = [] }: Pick<HttpFunction, 'signing'>): PolicyStatement[] {
    const actions = signing.map((action) => `kms:${action}`);
    return actions.length === 0 ? [] : [allow(actions, [...this.arns])];
  }

  /**
   * Denies signing to everybody but these roles, whatever IAM permits. Nothing else is denied: KMS rejects a policy
   * that keeps its author from changing it again.
   */
  denySigningExceptTo(roleArns: readonly string[]): void {
    for (const key of this.keys) {
      key.addToResourcePolicy(
        new PolicyStatement({
          sid: 'OnlyLookupsSign',
          effect: Effect.DENY,
          principals: [new AnyPrincipal()],
          actions: ['kms:Sign'],
          resources: ['*'],
          conditions: { ArnNotEquals: { 'aws:PrincipalArn': roleArns } },
        }),
      );
    }
  }
}

import { Fn } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { ServedEndpoint } from '../../functions/http/endpoint.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * A KMS key for each name of the setting `signedAnswers`. It stays when its name or the stack goes: no answer that it signed could be
 * verified any more once KMS had deleted it and nobody had kept its public key.
 */
export class SigningKeys extends Construct {
  /** For the functions that sign, publish the keys or know of them. */
  readonly environment: Readonly<Record<string, string>>;
  private readonly arns: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { stage, signedAnswers }: Required<Pick<StageSettings, 'stage' | 'signedAnswers'>>,
  ) {
    super(scope, id);
    const { issuer, keys } = signedAnswers;
    this.arns = keys.map((name) => {
      const description = `Signed answers of the vehicle verification API, stage ${stage}, key ${name}`;
      // Retained, as keys are by default.
      return new Key(this, name, { description, keySpec: KeySpec.ECC_NIST_P256, keyUsage: KeyUsage.SIGN_VERIFY })
        .keyArn;
    });
    this.environment = { SIGNED_ANSWERS_ISSUER: issuer, SIGNING_KEYS: Fn.join(',', [...this.arns]) };
  }

  /**
   * Permits the actions of a row on every key, not only on the first: versions from before a change of the setting sign with the key
   * that was first then, during a shift and after a roll back.
   */
  statements({ signing = [] }: Pick<ServedEndpoint, 'signing'>): PolicyStatement[] {
    if (signing.length === 0) return [];
    return [new PolicyStatement({ actions: signing.map((action) => `kms:${action}`), resources: [...this.arns] })];
  }
}

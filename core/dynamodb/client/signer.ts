import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { DatabaseEnvironment } from '../../runtime/environment.ts';

/**
 * Signs with one signer for the life of a function, whose region and credentials never change. The SDK's own way makes a
 * new one for each request, copying the whole configuration: a tenth of a look-up's processor time. Left out is its
 * correction of a clock that is wrong, from the dates of DynamoDB's answers: Lambda sets its clocks itself.
 */
export const dynamoDbSigning = ({
  region,
  credentials,
}: DatabaseEnvironment): NonNullable<DynamoDBClientConfig['httpAuthSchemes']> => {
  const signer = new SignatureV4({ region, credentials, service: 'dynamodb', sha256: Sha256, applyChecksum: false });
  return [
    {
      schemeId: 'aws.auth#sigv4',
      identityProvider: (config) => config.getIdentityProvider('aws.auth#sigv4'),
      signer: { sign: (request) => signer.sign(request) },
    },
  ];
};

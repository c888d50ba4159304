import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { DatabaseEnvironment } from '../../runtime/environment.ts';

/**
 * One signer per instance: region and credentials do not change during its life. The SDK creates a signer for each request and
 * copies its whole configuration, a tenth of a lookup's CPU time. This signer does not correct a wrong clock by the dates of
 * DynamoDB's responses: Lambda keeps its clocks right.
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

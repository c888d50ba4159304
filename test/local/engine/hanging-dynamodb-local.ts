/** A process that starts DynamoDB Local, prints its endpoint and then hangs, for the test that kills it. */
import { startDynamoDbLocal } from '../../support/dynamodb-local/dynamodb-local.ts';

const { endpoint } = await startDynamoDbLocal();
process.stdout.write(`${endpoint}\n`);

/** A process that starts DynamoDB Local, says where it is, and then hangs: for the test that kills it. */
import { startDynamoDbLocal } from '../../../lib/local/engine/dynamodb-local.ts';

const { endpoint } = await startDynamoDbLocal();
process.stdout.write(`${endpoint}\n`);

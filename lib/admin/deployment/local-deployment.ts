import type { TableNames } from '../../../functions/tables.ts';
import { CommandFailure } from '../command/command-failure.ts';
import { connect } from './database-client.ts';
import type { Deployment } from './deployment.ts';

/** The address of the engine that `npm start` starts, unless another one is configured. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:8000';

/** A local engine needs credentials, but any will do. */
const LOCAL_ENGINE = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * The tables of an engine at an address; sends no request yet.
 * @throws CommandFailure when the address is not a URL
 */
export const openLocalDeployment = (address: string, tableNames: TableNames): Deployment => {
  if (!isHttpAddress(address)) {
    throw new CommandFailure(`--dynamodb takes the address of a DynamoDB engine, such as ${LOCAL_ADDRESS}`);
  }
  return {
    db: connect({ ...LOCAL_ENGINE, endpoint: address }),
    address,
    remedy: 'start it with "npm start", or name another with --dynamodb URL',
    tableNames,
  };
};

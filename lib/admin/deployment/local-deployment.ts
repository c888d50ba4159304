import type { TableNames } from '../../../functions/tables.ts';
import { CommandFailure } from '../command/command-failure.ts';
import { connect } from './database-client.ts';
import type { Deployment } from './deployment.ts';

/** Where `npm start` puts its engine unless it is told otherwise. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:8000';

/** An engine on this machine asks for credentials but not for true ones. */
const LOCAL_ENGINE = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * The tables of an engine at an address; nothing is asked of it yet.
 * @throws CommandFailure when the address is none
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

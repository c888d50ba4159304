import { usageTable } from '../../../functions/access/usage-table.ts';
import { databaseFromEnvironment } from '../../../functions/runtime/environment.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { forkGateway } from '../../support/forked-gateway.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';

/** Processes that share one database. */
export const GATEWAYS = 4;

/**
 * Requests that one gateway serves at once; the others wait. All together they must leave engine and proxy time to answer
 * within a second, since after that the SDK asks again, and a counter that is raised twice loses quota by itself.
 */
export const CONCURRENCY = 8;

/** Look-ups through each gateway before anything is counted: the first ones of a process take longest. */
const WARM_UP = 20;

const LOOK_UP = '/v1/vehicle/AB12CDE/insurance';

/** Four gateways, each a process, and the engine in another one behind one fault proxy; it holds the sample vehicles. */
export const startFourGateways = async () => {
  const { newKey, db, names, close } = await prepareEngine();
  const { endpoint = '' } = databaseFromEnvironment();
  const faults = await startFaultProxy(endpoint);
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: faults.endpoint, POWERTOOLS_LOG_LEVEL: 'SILENT' };
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => forkGateway(environment, CONCURRENCY)));

  const lookUp = async (gateway: number, key: string): Promise<Response> => {
    const response = await fetch(`${gateways[gateway]?.origin}${LOOK_UP}`, { headers: { 'X-API-Key': key } });
    await response.arrayBuffer();
    return response;
  };

  const { key } = await newKey();
  for (let nth = 0; nth < WARM_UP; nth += 1) await Promise.all(gateways.map((_, gateway) => lookUp(gateway, key)));
  return {
    db,
    names,
    faults,
    newKey,
    usage: usageTable(db, names.usage),
    /** A moment for each gateway, in Unix milliseconds. */
    setClocks: async (moments: readonly number[]): Promise<void> => {
      await Promise.all(gateways.map(({ setClock }, index) => setClock(moments[index] ?? 0)));
    },
    /** One look-up through the gateway of this number, from 0; its answer is read to its end. */
    lookUp,
    stop: async (): Promise<void> => {
      await Promise.all(gateways.map(({ stop }) => stop()));
      await faults.close();
      close();
    },
  };
};

export type FourGateways = Awaited<ReturnType<typeof startFourGateways>>;

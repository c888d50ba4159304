import { usageTable } from '../../../core/access/usage-table.ts';
import { databaseFromEnvironment } from '../../../core/runtime/environment.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { forkGateway } from '../../support/forked-gateway.ts';
import { prepareEngine } from '../../support/prepared-engine.ts';

/** Processes that share one database. */
export const GATEWAYS = 4;

/** Lookups through each gateway before anything is counted: the first ones of a process take longest. */
const WARM_UP = 20;

const LOOKUP = '/v1/vehicle/AB12CDE/insurance';

/** Four gateway processes and an engine process with the sample vehicles, behind one fault proxy. */
export const startFourGateways = async () => {
  const { newKey, db, names, close } = await prepareEngine();
  const { endpoint = '' } = databaseFromEnvironment();
  const faults = await startFaultProxy(endpoint);
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: faults.endpoint, POWERTOOLS_LOG_LEVEL: 'SILENT' };
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => forkGateway(environment)));

  const lookup = async (gateway: number, key: string): Promise<Response> => {
    const response = await fetch(`${gateways[gateway]?.origin}${LOOKUP}`, { headers: { 'X-API-Key': key } });
    await response.arrayBuffer();
    return response;
  };

  const { key } = await newKey();
  for (let nth = 0; nth < WARM_UP; nth += 1) await Promise.all(gateways.map((_, gateway) => lookup(gateway, key)));
  return {
    db,
    names,
    faults,
    newKey,
    usage: usageTable(db, names.usage),
    /** A time for each gateway, in Unix milliseconds. */
    setClocks: async (times: readonly number[]): Promise<void> => {
      await Promise.all(gateways.map(({ setClock }, index) => setClock(times[index] ?? 0)));
    },
    /** One lookup through the gateway of this number, from 0. */
    lookup,
    stop: async (): Promise<void> => {
      await Promise.all(gateways.map(({ stop }) => stop()));
      await faults.close();
      close();
    },
  };
};

export type FourGateways = Awaited<ReturnType<typeof startFourGateways>>;

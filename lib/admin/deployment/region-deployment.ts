import { connect } from './database-client.ts';
import type { Deployment } from './deployment.ts';
import { type NamedTables, onlyNamed } from './table-names.ts';

interface RegionOptions {
  readonly region: string;
  readonly profile?: string;
  readonly yes?: string;
}

/**
 * Tables of an AWS account that belong to no stack, such as those that a deleted stack retained. Only production data is
 * retained, so changing it needs the name of the first table as confirmation.
 */
export const openRegionDeployment = ({ region, profile, yes }: RegionOptions, named: NamedTables): Deployment => ({
  db: connect({ region, ...(profile && { profile }) }),
  tableNames: onlyNamed(named),
  address: `AWS in ${region}`,
  remedy: 'look at the region and at the names of the tables',
  guard: { name: Object.values(named)[0] ?? '', ...(yes !== undefined && { given: yes }) },
});

/** What a deployed stack tells about itself: written by the stack, read by the CLI. Free of CDK, so that reading is cheap. */
import type { TableId } from '../../functions/tables.ts';

export const BASE_ADDRESS_OUTPUT = 'BaseAddress';

/** Where the DNS record of an address of one's own must point. */
export const DOMAIN_TARGET_OUTPUT = 'DomainTarget';

/** The stage's name, by which the CLI knows a production stage. */
export const STAGE_OUTPUT = 'Stage';

/** `yes` where data outlives the stack: there the CLI asks before it destroys. */
export const KEEPS_DATA_OUTPUT = 'KeepsData';

/** `VehiclesTable` for `vehicles`. */
export const tableOutput = (id: TableId): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Table`;

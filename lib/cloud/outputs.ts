/** The names of the stack's outputs. The stack writes them, the CLI reads them. Without CDK imports, which load slowly. */
import type { TableId } from '../../core/tables.ts';

export const BASE_ADDRESS_OUTPUT = 'BaseAddress';

/** The target of the custom domain's DNS record. */
export const DOMAIN_TARGET_OUTPUT = 'DomainTarget';

export const STAGE_OUTPUT = 'Stage';

/** `yes` where the data outlives the stack: there the CLI asks for confirmation before it deletes. */
export const KEEPS_DATA_OUTPUT = 'KeepsData';

/** The ARN of the managed policy for operators. */
export const OPERATOR_POLICY_OUTPUT = 'OperatorPolicy';

/** `VehiclesTable` for `vehicles`. */
export const tableOutput = (id: TableId): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Table`;

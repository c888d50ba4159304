import { endpoints } from '../endpoints.ts';

const { paths } = endpoints['list-content'];

/**
 * The address of the collection in the family that was asked, for links within it (contract.md "Addresses and versions").
 * One that the endpoint does not have came with a malformed event and is never repeated in a header.
 */
export const contentAddress = (path: string): string => paths.find((known) => known === path) ?? paths[0];

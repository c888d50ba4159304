import { normaliseRegistration } from '../../../../functions/vehicles/registration.ts';
import type { Row } from '../../files/row.ts';

/** The normalised registration of a row; undefined when it is missing or invalid. */
export const registrationOf = ({ fields }: Row): string | undefined =>
  typeof fields.registration === 'string' ? normaliseRegistration(fields.registration) : undefined;

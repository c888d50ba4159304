import { normaliseRegistration } from '../../../../functions/vehicles/registration.ts';
import type { Row } from '../../files/row.ts';

/** The vehicle that a row speaks of, as far as that can be told. */
export const registrationOf = ({ fields }: Row): string | undefined =>
  typeof fields.registration === 'string' ? normaliseRegistration(fields.registration) : undefined;

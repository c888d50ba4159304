import { normaliseRegistration, registrationIssue } from '../core/vehicles/registration.ts';
import { CommandFailure } from './command/command-result.ts';

/** The values of `--registration`, each once. @throws CommandFailure, which ends with `nothing`, for an invalid one */
export const parseRegistrations = (raw: readonly string[], nothing: string): readonly string[] => {
  const parsed = raw.map((text, index) => {
    const registration = normaliseRegistration(text);
    if (registration !== undefined) return registration;
    throw new CommandFailure(`registration ${index + 1} ${registrationIssue(text)}; ${nothing}`);
  });
  return [...new Set(parsed)];
};

/** The one file of functions/ that reads `process.env`: settings besides those of core/. */
import { environmentValues } from '../core/runtime/environment.ts';

/** The address that the probe requests. @throws MissingEnvironment */
export const probedAddress = (): string => environmentValues(['PROBED_ADDRESS'])[0] ?? '';

/** The address of the documentation site; undefined where none is published. */
export const docsUrl = (): string | undefined => process.env.DOCS_URL || undefined;

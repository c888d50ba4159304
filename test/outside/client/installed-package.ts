import { join } from 'node:path';
import type * as Library from '../../../client/src/index.ts';

/** Where the package is installed, with the file that `npm pack` has made. */
export const installationFolder = process.env.CLIENT_INSTALLED_IN ?? '';
const folder = join(installationFolder, 'node_modules');

/** The library of the installed package. */
export const library = (await import(join(folder, 'vehicle-verification/dist/index.js'))) as typeof Library;

/** The folder of the installed package. */
export const packageFolder = join(folder, 'vehicle-verification');

/** The command that npm links. */
export const command = join(folder, '.bin/vehicle-verification');

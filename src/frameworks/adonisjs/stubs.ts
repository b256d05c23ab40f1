import { fileURLToPath } from 'node:url';

/** The directory of the stubs for `node ace configure lifesign`. */
export const stubsRoot: string = fileURLToPath(new URL('../../../stubs/adonisjs', import.meta.url));

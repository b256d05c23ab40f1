import { fileURLToPath } from 'node:url';

/** Where the stubs of `node ace configure lifesign` are. */
export const stubsRoot: string = fileURLToPath(new URL('../../../stubs/adonisjs', import.meta.url));

// A built file of the package: of `dist`, or of the folder that BUILT names.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

const root = process.env.BUILT ?? join(import.meta.dirname, '../../..');

export const lifesign = (file) => import(pathToFileURL(join(root, 'dist', `${file}.js`)).href);

// Replaces the AdonisJS command of the package's entry, which needs Node.
import type * as all from '../frameworks/adonisjs/configure.js';
import { notOnEdge } from './errors.js';

export const configure: typeof all.configure = () => {
  throw notOnEdge('configure');
};

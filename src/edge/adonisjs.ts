// What the package's own entry has of AdonisJS, whose command runs on Node.
import type * as all from '../frameworks/adonisjs/configure.js';
import { absent } from './errors.js';

export const configure: typeof all.configure = absent('configure');

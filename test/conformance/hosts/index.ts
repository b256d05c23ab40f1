import type { Host } from '../host.js';
import { expressHosts } from './express.js';

/** Every framework the conformance list runs over. A new one is a file here and one line below. */
export const hosts: readonly Host[] = [...expressHosts];

import { installed } from './install.js';

await installed();

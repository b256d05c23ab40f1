import { frameworks } from './fixture.js';
import { prove } from './prove.js';

prove(frameworks.astro, { exits: 'SIGTERM' });

import { frameworks } from './fixture.js';
import { prove } from './prove.js';

prove(frameworks.nitro3);

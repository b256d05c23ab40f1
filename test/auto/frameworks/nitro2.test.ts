import { frameworks } from './fixture.js';
import { prove } from './prove.js';
import { upgraded } from './upgraded.js';

prove(frameworks.nitro2, { more: (app) => upgraded(app, '/ws') });

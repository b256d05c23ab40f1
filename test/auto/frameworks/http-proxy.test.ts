import { frameworks } from './fixture.js';
import { prove } from './prove.js';
import { upgraded } from './upgraded.js';

prove(frameworks.proxy, { more: (app) => upgraded(app, '/ws'), exits: 'SIGTERM' });

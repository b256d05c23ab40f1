import { frameworks } from './fixture.js';
import { routersAndAction } from './next.js';
import { prove } from './prove.js';

prove(frameworks.next15, { more: (app) => routersAndAction(app, 'middleware') });

import { frameworks } from './fixture.js';
import { routersAndAction } from './next.js';
import { prove } from './prove.js';

prove(frameworks.next16, { more: (app) => routersAndAction(app, 'proxy'), exits: 143 });

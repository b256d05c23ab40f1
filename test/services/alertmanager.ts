import { startWith } from './prometheus.js';
import type { ServiceDefinition } from './service.js';

/** The argument is its configuration; without one it tells nobody. */
export const alertmanager: ServiceDefinition = {
  name: 'alertmanager',
  variable: 'ALERTMANAGER_URL',
  commands: ['prometheus-alertmanager'],
  packages: ['prometheus-alertmanager'],
  start: ({ args: [config = 'route: { receiver: none }\nreceivers: [{ name: none }]\n'] = [] } = {}) =>
    // Alone: no port for others of its kind.
    startWith(alertmanager, config, ['--storage.path=DATA', '--cluster.listen-address=']),
};

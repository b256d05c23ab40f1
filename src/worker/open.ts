import type { Engine } from '../core/engine.js';
import type { NodeRequest } from '../http/node/node-http.js';
import { keepFile } from './file.js';
import type { Places } from './places.js';
import { type Listening, serveAt } from './serving.js';
import { notifyManager } from './systemd.js';

/** Shows how a worker is wherever it is asked for: on a port or a socket, in a file, to a service manager. */
export function openWorker<FrameworkRequest>(
  engine: Engine<NodeRequest, FrameworkRequest>,
  places: Places,
  /** Another option to suggest if the port is taken. */
  hint = '',
): Promise<Listening> {
  const served = serveAt(engine, places, hint);
  if (places.file !== undefined) keepFile(engine, places.file.path, places.file.interval);
  notifyManager(engine, served);
  return served.then((listening) => {
    // There is no server of the application that could listen.
    if (engine.options.probes?.startWhen === 'listening') engine.started();
    return listening;
  });
}

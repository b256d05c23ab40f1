import type { CheckHost } from '../core/heartbeat/check-host.js';
import { levels } from '../core/heartbeat/messages.js';
import { shared } from '../core/shared.js';
import { call, type SelfHealing } from './client.js';

/** One listener of a client, for all Healths that check it. It keeps their logs, and not the Healths. */
interface Guard {
  readonly heard: (error: unknown) => void;
  readonly logs: Set<CheckHost['log']>;
}

/** Of all copies of the package: none takes the listener of another for the application's. */
const guards: WeakMap<object, Guard> = /* @__PURE__ */ shared('error listeners', () => new WeakMap());

/** Listens for errors of a client until the Health is closed, unless the application does: an error without a listener ends the process. */
export function listenForErrors(found: SelfHealing, { closed, log, onClose }: CheckHost): void {
  const { client } = found;
  if (closed() || !isUnheard(client)) return;
  const guard = guards.get(client) ?? guardOf(found);
  guards.set(client, guard);
  guard.logs.add(log);
  if (listenersOf(client)?.length === 0) call(client, 'on', 'error', guard.heard);
  onClose(() => {
    guard.logs.delete(log);
    if (guard.logs.size === 0) call(client, 'removeListener', 'error', guard.heard);
  });
}

function guardOf({ client, name, variable }: SelfHealing): Guard {
  const logs = new Set<CheckHost['log']>();
  let warned = false;
  const msg = `The ${name} lost a connection, and the application does not listen for its errors: without lifesign, the process would have ended. Write ${variable}.on('error', (error) => console.error(error.message));`;
  const heard = (error: unknown) => {
    if (warned || !isUnheard(client)) return;
    warned = true;
    const [log] = logs;
    log?.({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg, error });
  };
  return { heard, logs };
}

/** Whether only we listen, if anything does. Not of a client that does not show its listeners. */
function isUnheard(client: object): boolean {
  const ownListener = guards.get(client)?.heard;
  return listenersOf(client)?.every((each) => each === ownListener) ?? false;
}

function listenersOf(client: object): readonly unknown[] | undefined {
  const listeners = call(client, 'listeners', 'error');
  return Array.isArray(listeners) ? listeners : undefined;
}

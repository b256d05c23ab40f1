import { call, hasMethods, isObject, property } from '../client.js';
import { orAborted, type Starter } from '../flight.js';
import type { Life } from '../life.js';
import { listen, monitorErrors } from '../listening.js';
import { answerOf, isOpenChannel } from './amqp-channel.js';
import { type Broker, closed, offline, Unconnected } from './broker.js';
import type { AmqpManager, BrokerClients } from './client-shapes.js';

const name = 'the AMQP broker';

/** A connection of amqplib, or one of its channels, which leads to its connection. */
export function amqp(client: BrokerClients['amqp'], life: Life): Broker {
  let lost: { readonly error: unknown } | undefined;
  monitorErrors(life, client, (error) => {
    lost = { error };
  });
  // Those with `recovery` reconnect by themselves, and emit events.
  for (const event of ['disconnect', 'connect-failed']) {
    listen(life, client, event, (error) => {
      lost = { error };
    });
  }
  listen(life, client, 'connect', () => {
    lost = undefined;
  });
  return {
    name,
    async ping(starter) {
      const raw = property(client, 'connection');
      const recovers = hasMethods(client, 'waitForConnect');
      if (recovers ? lost !== undefined : isClosed(raw)) throw lost?.error ?? closed();
      if (property(raw, 'blocked') === true) throw blocked();
      if (hasMethods(client, 'createChannel')) await openAndClose(client, starter);
      else if (!isOpenChannel(client)) throw closed();
    },
  };
}

/** A connection of amqp-connection-manager, which makes new ones by itself. */
export function amqpManager(manager: AmqpManager, life: Life): Broker {
  let lost: { readonly error: unknown } | undefined;
  for (const event of ['connectFailed', 'disconnect']) {
    listen(life, manager, event, (given) => {
      lost = { error: property(given, 'err') };
    });
  }
  listen(life, manager, 'connect', () => {
    lost = undefined;
  });
  return {
    name,
    async ping(starter) {
      const { connection } = manager;
      if (!manager.isConnected() || !isObject(connection)) throw lost?.error ?? offline();
      if (property(property(connection, 'connection'), 'blocked') === true) throw blocked();
      await openAndClose(connection, starter);
    },
  };
}

const blocked = () => new Unconnected('blocked', 'it has blocked this connection');

/** The connection is closed permanently once its socket is expected to be. */
const isClosed = (raw: unknown) => property(raw, 'expectSocketClose') === true;

/** AMQP 0-9-1 has no ping: to open a channel and to close it again is a round trip that needs no right and leaves nothing. */
async function openAndClose(connection: object, { signal }: Starter): Promise<void> {
  const opening = answerOf(connection, 'createChannel');
  // One that is opened later is closed then.
  opening.then(close, () => {});
  try {
    const channel = await orAborted(opening, signal);
    call(channel, 'on', 'error', () => {});
  } catch (thrown) {
    // All of them are in use, so that the connection is.
    if (!/no channels left/i.test(String(property(thrown, 'message')))) throw thrown;
  }
}

function close(channel: unknown): void {
  if (isObject(channel)) answerOf(channel, 'close').catch(() => {});
}

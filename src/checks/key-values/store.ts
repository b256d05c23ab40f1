/** A key-value store's client, whichever it is. */
export interface KeyValueStore {
  /** What operators call it. */
  readonly name: 'redis' | 'memcached';
  /** Whether the answer was the right one. Rejects at once where the client is offline and would only queue. */
  ping(signal: AbortSignal): Promise<boolean>;
}

/** The client itself says that it has no connection: nothing was sent. */
export class Unavailable extends Error {
  readonly id: string;
  readonly says: string;

  constructor(id: 'health.E004' | 'health.E005', text: string) {
    super(text);
    this.id = id;
    this.says = id === 'health.E004' ? 'Cannot connect to' : 'client missing';
  }
}

export const offline = (state: string): Unavailable =>
  new Unavailable('health.E004', `the client has no connection (${state})`);
export const closed = (): Unavailable =>
  new Unavailable('health.E005', 'the application has not opened the client or has closed it');

/** What tells that a connection went away. */
export interface Emitter {
  listenerCount(event: string): number;
  on(event: string, listener: (error: unknown) => void): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

/** The answer, or a rejection as soon as the connection goes: the client would keep the command for the next one. */
export function unlessLost<T>(client: Emitter, events: readonly string[], answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(offline('it was lost during the ping'));
    for (const event of events) client.once(event, lost);
    const settle = (then: () => void) => {
      for (const event of events) client.removeListener(event, lost);
      then();
    };
    answer.then(
      (value) => settle(() => resolve(value)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}

/**
 * Why a client is offline: the last error it told, forgotten when it is ready again. It is asked for only where
 * the application listens for errors too, since a first listener would change what an error does.
 */
export function lastErrorOf(client: Emitter): () => unknown {
  let listening = false;
  let last: unknown;
  return () => {
    if (!listening && client.listenerCount('error') > 0) {
      listening = true;
      client.on('error', (error) => {
        last = error;
      });
      client.on('ready', () => {
        last = undefined;
      });
    }
    return last;
  };
}

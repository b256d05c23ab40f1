import type { Process, Response } from './process.js';

/** What a request does. */
export interface RequestKind {
  /** Milliseconds that its query takes; 0 for none. */
  readonly query: number;
  /** Milliseconds for which it holds the connection afterwards, without a query. */
  readonly hold: number;
  /** Called when it does not give its connection back, ever: a bug of the application. */
  readonly onLeak?: () => void;
  /** Called when it begins to hold its connection: since when the server has nothing to do for it, and until when it holds it. */
  readonly onHold?: (idleFrom: number, until: number) => void;
  /** Milliseconds after which its client leaves. */
  readonly patience: number;
}

export const quick: RequestKind = { query: 5, hold: 0, patience: 30_000 };

/** A request of an HTTP client to an instance, which sees it when it does not stand still. */
export function send(to: Process, kind: RequestKind): void {
  to.clock.after(0, () => receive(to, kind));
}

function receive(to: Process, { query, hold, onLeak, onHold, patience }: RequestKind): void {
  const response: Response = { writableEnded: false, destroyed: false };
  to.publish('http.server.request.start', response);
  to.clock.quietly(patience, () => {
    response.destroyed = true;
  });
  const handle = async () => {
    const connection = await to.pool.take();
    try {
      if (query > 0) await connection.run(query, true);
      if (hold > 0) onHold?.(connection.session?.since ?? Infinity, to.world.now + hold);
      if (hold > 0) await new Promise<void>((resolve) => void to.clock.after(hold, resolve));
    } finally {
      if (onLeak === undefined || connection.isClosed) to.pool.giveBack(connection);
      else onLeak();
    }
  };
  const end = () => {
    response.writableEnded = true;
    if (!response.destroyed) to.publish('http.server.response.finish', response);
  };
  handle().then(end, end);
}

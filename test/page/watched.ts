import { createServer } from 'node:http';
import express from 'express';
import type { CheckMessage } from 'lifesign/checks';
import type { HealthOptions, Version } from 'lifesign';
import { Health } from 'lifesign/express';
import { freePort } from '../services/port.js';

/** A service with a health page whose checks say what the test wants. */
export interface Watched {
  readonly origin: string;
  readonly page: string;
  readonly health: Health;
  /** What each check says from now on. */
  readonly say: (outcomes: Readonly<Record<string, readonly CheckMessage[]>>) => void;
  /** How often the checks ran, all together. */
  readonly runs: () => number;
  /** Asks for a heartbeat, as a probe does. */
  readonly beat: (times?: number) => Promise<void>;
  /** Closes the server and waits for its connections; `cut` ends them. */
  readonly close: (cut?: boolean) => Promise<void>;
  /** Serves again on the same port. */
  readonly reopen: () => Promise<void>;
}

/** Starts it with these checks; each passes until `say` tells it otherwise. */
export async function watched(
  names: readonly string[],
  options: HealthOptions = {},
  version: Version = { version: '2.4.1' },
): Promise<Watched> {
  const app = express();
  const health = new Health(app, { page: true, logger: { log() {} }, ...options });
  health.versionCallback(() => version);
  app.use((_req, res) => void res.status(404).json({ application: 'not found' }));
  let runs = 0;
  let said: Readonly<Record<string, readonly CheckMessage[]>> = {};
  for (const name of names) {
    health.check(name, () => {
      runs += 1;
      return said[name];
    });
  }

  let server = createServer(app);
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const port = await freePort();
  await listen(port);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    page: `${origin}${health.options.page?.path}`,
    health,
    say(outcomes) {
      said = outcomes;
    },
    runs: () => runs,
    async beat(times = 1) {
      for (let left = times; left > 0; left -= 1) await health.heartbeat();
    },
    close: (cut = true) =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (cut) server.closeAllConnections();
      }),
    async reopen() {
      server = createServer(app);
      await listen(port);
    },
  };
}

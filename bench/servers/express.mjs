import { createServer } from 'node:http';
import express from 'express';
import { Health } from 'lifesign/express';
import { addChecks, body, ready } from './checks.mjs';

const make = (prepare = () => {}) => {
  const app = express();
  prepare(app);
  app.get('/', (_req, res) => res.json(body));
  return app;
};

export const bare = () => createServer(make());
export const lifesign = (options, checks) =>
  createServer(make((app) => addChecks(new Health(app, options), checks)));
export const terminus = async () => {
  const { createTerminus } = await import('@godaddy/terminus');
  return createTerminus(createServer(make()), {
    healthChecks: {
      '/live': ready,
      '/ready': async () => Promise.all([ready(), ready(), ready()]),
    },
  });
};
export const actuators = async () => {
  const { default: actuator } = await import('express-actuator');
  return createServer(
    make((app) => {
      const customEndpoints = [
        {
          id: 'ready',
          controller: async (_req, res) => {
            await Promise.all([ready(), ready(), ready()]);
            res.json({ status: 'UP' });
          },
        },
      ];
      app.use(actuator({ customEndpoints }));
    }),
  );
};
export const pinoHttp = async () => {
  const { pinoHttp: middleware } = await import('pino-http');
  return createServer(make((app) => app.use(middleware())));
};
export const morgan = async () => {
  const { default: middleware } = await import('morgan');
  return createServer(make((app) => app.use(middleware('combined'))));
};

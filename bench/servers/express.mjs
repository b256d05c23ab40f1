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
const withHealth = (options) => createServer(make((app) => addChecks(new Health(app, options), 3)));
// What the peers do: endpoints alone. The rest are options of their own.
const alone = { summary: false, requestContext: false };
export const lifesign = () => withHealth(alone);
export const lifesignMetrics = () => withHealth({ ...alone, metrics: true });
export const lifesignRequests = () => withHealth({ ...alone, metrics: { requests: true } });
export const lifesignContext = () => withHealth({ summary: false });
export const lifesignSummary = () => withHealth({ requestContext: false });
export const lifesignDefault = () => withHealth({});
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
export const pinoHttpSummary = async () => {
  const { pinoHttp } = await import('pino-http');
  return createServer(make((app) => app.use(pinoHttp())));
};
export const morganSummary = async () => {
  const { default: morgan } = await import('morgan');
  return createServer(make((app) => app.use(morgan('combined'))));
};

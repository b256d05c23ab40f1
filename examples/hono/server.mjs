// Runs app.mjs on Node.
import { serve } from '@hono/node-server';
import { listenOptions } from 'lifesign/hono';
import app from './app.mjs';

const { host, port } = listenOptions();
serve({ fetch: app.fetch, hostname: host, port });

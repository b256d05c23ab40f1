// Wrong use of the entries of profile C does not compile: each line below `@ts-expect-error` is one.
import { createServer } from 'node:http';
import http2 from 'node:http2';
import Fastify, { type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';
import * as fastify from 'lifesign/fastify';
import plugin from 'lifesign/fastify/plugin';
import * as fetching from 'lifesign/fetch';
import * as hono from 'lifesign/hono';
import * as koa from 'lifesign/koa';
import * as node from 'lifesign/node';

// Fastify
const app = Fastify({ ...fastify.fastifyConfig(), logger: fastify.logConfig({ loggerName: 'acme' }) });
const onFastify = new fastify.Health(app, { details: (req) => req.headers['x-show'] === 'yes' });
new fastify.Health(Fastify({ http2: true }));
new fastify.Health(Fastify({ https: {} }));
void app.register(fastify.health, { failLevel: 'error' });
void app.register(fastify.default);
void app.register(plugin, { summary: false });
app.health.check('storage', async ({ signal }) => (signal.aborted ? [] : undefined));
const region: string | number | boolean | null | undefined = onFastify.config['region'];
void region;
// @ts-expect-error a Fastify instance, not an Express application
new fastify.Health(() => {});
new fastify.Health({ failLevel: 'error' });
// @ts-expect-error there is no such option
new fastify.Health({ failLevl: 'error' });
// @ts-expect-error the configuration is read only
onFastify.config['region'] = 'eu';
// `details` gets the raw request, `uid` that of Fastify, or one that a plugin has made more of.
new fastify.Health(app, { details: (req) => req.httpVersionMajor === 2, uid: (request) => request.ip });
new fastify.Health(app, { uid: (request: FastifyRequest & { user?: { id: number } }) => request.user?.id });
// @ts-expect-error Fastify has not made its request yet
new fastify.Health(app, { details: (request) => request.ip === '::1' });
// @ts-expect-error a user is a text or a number
new fastify.Health(app, { uid: (request) => request.headers });

// Hono
const honoApp = new Hono<{ Bindings: { REGION: string } }>();
new hono.Health(honoApp, { details: (request) => request.headers.get('x-show') === 'yes' });
// @ts-expect-error the request is that of fetch
new hono.Health(honoApp, { details: (request) => request.headers['x-show'] === 'yes' });
new hono.Health(honoApp, { uid: (c) => c.req.header('x-user') });
new hono.Health(honoApp, { uid: (c: Context<{ Variables: { user: { id: string } } }>) => c.get('user').id });

// Koa
new koa.Health(new Koa(), { failedStatusCode: 503 });
new koa.Health(new Koa(), { uid: (ctx) => ctx.get('x-user'), details: (req) => req.method === 'GET' });
new koa.Health(new Koa(), {
  uid: (ctx: Koa.Context & { session?: { userId: string } }) => ctx.session?.userId,
});
// @ts-expect-error Koa's context is not asked for details
new koa.Health(new Koa(), { details: (ctx) => ctx.get('x-show') === 'yes' });

// node:http, http2
const onNode = new node.Health(createServer(), { details: (req) => req.headers['x-show'] === 'yes' });
new node.Health(http2.createSecureServer());
createServer(onNode.listener((req, res) => res.end(req.socket.remoteAddress)));
http2.createServer(
  onNode.listener((_req: http2.Http2ServerRequest, res: http2.Http2ServerResponse) => res.end()),
);
new node.Health(createServer(), { uid: (req) => req.headers['x-user']?.toString() });

// fetch
const onFetch = new fetching.Health({ fetch: (_request: Request) => new Response() });
const handler = onFetch.wrap(async (_request, _env: { REGION: string }) => new Response());
const reply: Promise<Response> | Response = handler(new Request('http://x'), { REGION: 'eu' });
void reply;
const answer: Response | Promise<Response> | undefined = onFetch.respond(new Request('http://x'));
void answer;
// @ts-expect-error what the handler is given is asked for
void handler(new Request('http://x'));
// @ts-expect-error a handler gives a Response
onFetch.wrap(() => 'Hello');

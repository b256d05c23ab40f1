import apps from './listening.cjs';

const start = {
  node: async () => apps.node(await import('node:http')),
  https: async () => apps.https(await import('node:https')),
  http2: async () => apps.http2(await import('node:http2')),
  http2s: async () => apps.http2s(await import('node:http2')),
  grpcLike: async () => apps.grpcLike(await import('node:http2')),
  express: async () => apps.express((await import('express')).default),
  fastify: async () => apps.fastify((await import('fastify')).default),
  koa: async () => apps.koa((await import('koa')).default),
  nest: async () => apps.nest(await import('@nestjs/common'), await import('@nestjs/core')),
  ws: async () => apps.ws(await import('ws'), await import('node:http')),
  socketio: async () => apps.socketio(await import('socket.io'), await import('node:http')),
};
await start[process.argv[2]]();

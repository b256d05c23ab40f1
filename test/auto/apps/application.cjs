const apps = require('./listening.cjs');

const start = {
  node: () => apps.node(require('node:http')),
  https: () => apps.https(require('node:https')),
  http2: () => apps.http2(require('node:http2')),
  http2s: () => apps.http2s(require('node:http2')),
  grpcLike: () => apps.grpcLike(require('node:http2')),
  express: () => apps.express(require('express')),
  fastify: () => apps.fastify(require('fastify')),
  koa: () => apps.koa(require('koa')),
  nest: () => apps.nest(require('@nestjs/common'), require('@nestjs/core')),
  ws: () => apps.ws(require('ws'), require('node:http')),
  socketio: () => apps.socketio(require('socket.io'), require('node:http')),
};
start[process.argv[2]]();

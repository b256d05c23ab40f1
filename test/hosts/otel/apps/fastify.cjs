void require('../shops.cjs').fastify(require('fastify'), require('lifesign/fastify'));

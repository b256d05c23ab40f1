import Fastify from 'fastify';
import * as health from 'lifesign/fastify';
import shops from '../shops.cjs';

await shops.fastify(Fastify, health);

import Koa from 'koa';
import * as health from 'lifesign/koa';
import shops from '../shops.cjs';

shops.koa(Koa, health);

require('../shops.cjs').koa(require('koa'), require('lifesign/koa'));

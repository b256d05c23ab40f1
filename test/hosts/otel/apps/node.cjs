require('../shops.cjs').node(require('node:http'), require('lifesign/node'));

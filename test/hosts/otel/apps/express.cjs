require('../shops.cjs').express(require('express'), require('lifesign/express'));

require('../shops.cjs').plain(require('express'));

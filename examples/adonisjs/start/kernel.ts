import router from '@adonisjs/core/services/router';
import server from '@adonisjs/core/services/server';

server.errorHandler(() => import('../app/exceptions/handler.js'));

server.use([
  () => import('lifesign/adonisjs/health_middleware'),
  () => import('../app/middleware/hello_middleware.js'),
]);

router.use([]);

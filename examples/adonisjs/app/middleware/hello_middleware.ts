import type { HttpContext } from '@adonisjs/core/http';
import type { NextFn } from '@adonisjs/core/types/http';

export default class HelloMiddleware {
  handle({ response }: HttpContext, next: NextFn) {
    response.header('X-Shop', 'hello');
    return next();
  }
}

import type { BuiltInOptions } from '../checks/clients.js';
import type { CoreOptions } from '../core/options/options.js';
import type { LoggerOption } from '../logging/adopt.js';

/** Options of every Health but the clients, which settings-style frameworks take in other forms. */
export interface BaseOptions<Request = unknown, FrameworkRequest = Request>
  extends CoreOptions<Request, FrameworkRequest>, LoggerOption {}

/**
 * Options of every Health, and the clients of the built-in checks. `Request` is the raw request, `FrameworkRequest` the request of the
 * framework. Each option but functions, clients and the logger is also read from `HEALTH_` + its name in capitals.
 */
export interface HealthOptions<Request = unknown, FrameworkRequest = Request>
  extends BaseOptions<Request, FrameworkRequest>, BuiltInOptions {}

import type { CoreOptions } from '../core/options/options.js';
import type { LoggerOption } from '../logging/adopt.js';

/**
 * Options of every Health. `Request` is what there is before the framework comes to a request, `Own` what the framework
 * makes of it. Each option but the functions and the logger is also read from `HEALTH_` + its name in capitals.
 */
export interface HealthOptions<Request = unknown, Own = Request>
  extends CoreOptions<Request, Own>, LoggerOption {}

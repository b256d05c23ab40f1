// The duration of requests by hand, as the documentation of prom-client shows it.
import { Histogram, Registry } from 'prom-client';

/** A listener of requests; `routeOf` gives the label when the response is done. */
export function measuring(routeOf) {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status_code'],
    registers: [new Registry()],
  });
  return (req, res) => {
    const end = duration.startTimer();
    res.on('finish', () => end({ method: req.method, route: routeOf(req), status_code: res.statusCode }));
  };
}

import { type Answer, type Endpoint, endpointPaths } from './endpoints.js';
import type { Route } from './routes.js';

/** The routes of the three endpoints of the contract. */
export function contractRoutes<Request>(
  answers: Readonly<Record<Endpoint, (request: Request) => Answer | Promise<Answer>>>,
): readonly Route<Request>[] {
  return [
    { path: endpointPaths.version, name: 'the version', answer: answers.version },
    { path: endpointPaths.heartbeat, name: 'the heartbeat', answer: answers.heartbeat },
    {
      path: endpointPaths.lbheartbeat,
      name: 'the load balancer heartbeat',
      immediate: true,
      answer: answers.lbheartbeat,
    },
  ];
}

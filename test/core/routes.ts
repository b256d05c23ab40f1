import { answerUp, endpointPaths } from '../../src/core/endpoints.js';
import { type Route, Routes } from '../../src/core/routes.js';

export const routeAt = (path: string): Route<unknown> => ({ path, name: path, answer: () => answerUp });

/** The routes of the three endpoints and of further paths, each path a feature of its own. */
export function routesOf(...paths: readonly string[]): Routes<unknown> {
  const routes = new Routes<unknown>();
  for (const path of [...Object.values(endpointPaths), ...paths]) routes.add([routeAt(path)]);
  return routes;
}

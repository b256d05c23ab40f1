// Every table over HTTP, the few rows of the regression check, and those measured on several versions of Node.
import { endpoints } from './endpoints.mjs';
import { additions, routes } from './routes.mjs';

export const works = [...endpoints, ...routes, ...additions];

const only = (wanted) =>
  works
    .map((work) => ({ ...work, rows: work.rows.filter((row, index) => index === 0 || wanted(row)) }))
    .filter(({ rows }) => rows.length > 1);

export const frameworkOf = ({ rows: [{ subject }] }) => subject.split('/')[0];

/** For the regression check: what has a budget on node:http and Fastify. */
export const quickWorks = only(({ quick, budget }) => quick === true && budget !== undefined);

const everywhere = new Set(['node', 'express', 'fastify']);
/** For several versions of Node: what users have, and the leanest. */
export const versionWorks = only(({ variant, log }) => variant !== undefined && log === undefined).filter(
  (work) => everywhere.has(frameworkOf(work)) && !additions.some(({ name }) => name === work.name),
);

// Every table over HTTP, the rows of the regression check, and those measured on several versions of Node.
import { endpoints } from './endpoints.mjs';
import { additions, routes } from './routes.mjs';

export const works = [...endpoints, ...routes, ...additions];

const only = (wanted) =>
  works
    .map((work) => ({ ...work, rows: work.rows.filter((row, index) => index === 0 || wanted(row)) }))
    .filter(({ rows }) => rows.length > 1);

export const frameworkOf = ({ rows: [{ subject }] }) => subject.split('/')[0];

/** For the regression check: rows of lifesign that a name fits, by default those that cover most code; each once, with the name of its table. */
export function regressionRows(name) {
  const rows = works.flatMap((work) =>
    work.rows.filter(({ own }) => own).map((row) => ({ ...row, label: `${work.name}: ${row.label}` })),
  );
  const wanted = rows.filter(({ label, quick }) => (name === '' ? quick : label.includes(name)));
  return [...new Map(wanted.map((row) => [`${row.subject} ${row.path} ${row.log}`, row])).values()];
}

const everywhere = new Set(['node', 'express', 'fastify']);
/** For several versions of Node: what users have, and the leanest. */
export const versionWorks = only(({ variant, log }) => variant !== undefined && log === undefined).filter(
  (work) => everywhere.has(frameworkOf(work)) && !additions.some(({ name }) => name === work.name),
);

// node --import short-limits.js app.js, both compiled: the app has the limits of limits.ts and probe-limits.ts instead of those of the package.
import { register } from 'node:module';

const shorter = {
  'pools/pool': new URL('limits.js', import.meta.url).href,
  'probes/limits': new URL('probe-limits.js', import.meta.url).href,
};
const hooks = `
const shorter = ${JSON.stringify(shorter)};
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const file = /\\/([a-z-]+\\/[a-z-]+)\\.[jt]s$/.exec(found.url.split('?')[0])?.[1];
  const url = shorter[file];
  return url && context.parentURL?.split('?')[0] !== url ? next(url, context) : found;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

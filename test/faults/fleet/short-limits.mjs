// node --import short-limits.mjs app.ts: the app has the limits of limits.ts instead of those of the package.
import { register } from 'node:module';

const shorter = new URL('limits.ts', import.meta.url).href;
const hooks = `
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const isLimits = /\\/second-opinion\\/limits\\.[jt]s$/.test(found.url.split('?')[0]);
  return isLimits && context.parentURL?.split('?')[0] !== '${shorter}' ? next('${shorter}', context) : found;
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// How the tables over HTTP are written down: a work is a table, its first row is what the others are compared with.
import { shown } from '../servers/options.mjs';

/** The bare JSON route of a framework. */
export const bare = (framework) => ({ subject: `${framework}/bare`, path: '/', label: 'bare JSON route' });

/** lifesign with options of servers/options.mjs. `more`: a budget as a share of the first row, or `over` the share of a peer by so much; `because`, `quick`, `log`, `note`. */
export const own = (framework, variant, path, { note, checks = 3, ...more } = {}) => ({
  subject: `${framework}/lifesign/${variant}/${checks}`,
  path,
  label: `lifesign, ${shown[variant]}${note === undefined ? '' : `, ${note}`}`,
  variant,
  own: true,
  ...more,
});

/** What people use today. `why` says why it may be ahead of lifesign. */
export const peer = (framework, name, path, label, why) => ({
  subject: `${framework}/${name}`,
  path,
  label,
  why,
});

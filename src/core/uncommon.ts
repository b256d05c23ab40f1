// Loaded with the first use, which most applications never have: decorators, checks with options or a cache, options of features.
export { registerCheck, registerVersion } from './decorators.js';
export { cacheOf } from './heartbeat/cache.js';
export { areCheckOptions, requireCheckOptions } from './heartbeat/check-rules.js';
export { declared } from './options/declared.js';
export { areGroups } from './options/groups.js';

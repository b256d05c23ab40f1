// The code of the built-in checks, loaded with the first of them.
export * from './factories.js';
export { registerBuiltIns } from './built-in.js';

// What makes the checks of lifesign: loaded with the first that is made.
export * from './factories.js';
export { registerBuiltIns } from './built-in.js';

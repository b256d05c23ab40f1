// Loaded with the first mistake: the texts of errors, and the search for misspelled variables.
export * from './errors.js';
export { misspeltVariables } from './variables.js';

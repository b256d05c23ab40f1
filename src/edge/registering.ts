// core/registering.ts on edge workers: all forms are there at once.
export { registerCheck as addCheck, registerVersion as setVersion } from '../core/decorators.js';

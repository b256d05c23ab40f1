export type { Engine } from './health.js';

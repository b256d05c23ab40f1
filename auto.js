// The stable path for NODE_OPTIONS: --import /app/node_modules/lifesign/auto.js
export * from './dist/auto/index.js';

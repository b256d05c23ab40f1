// And for ES modules: node --import ./instrumentation.mjs app.mjs
import { register } from 'node:module';
import { sdk } from './sdk.cjs';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
sdk.start();

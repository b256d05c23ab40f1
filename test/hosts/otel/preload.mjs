import { register } from 'node:module';
import './preload.cjs';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

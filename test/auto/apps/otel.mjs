import { register } from 'node:module';
import './otel.cjs';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

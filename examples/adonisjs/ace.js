// `node ace <command>`: the commands of AdonisJS. tsx compiles the TypeScript of this app as it is loaded.
import { register } from 'tsx/esm/api';

register();
await import('./bin/console.ts');

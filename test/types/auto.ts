// Wrong use does not compile: each line below `@ts-expect-error` is one, and tsc (npm run typecheck) fails where it is none.
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type HealthConfig, watch } from 'lifesign/auto';

const pool = new Pool();
const redis = new Redis();

watch({ db: pool });
watch({ db: { main: pool, replica: pool }, redis, checks: { storage: async ({ signal }) => void signal } });
// @ts-expect-error a client is wanted
watch({ db: 'postgres://localhost/things' });
watch({ broker: () => undefined });
// @ts-expect-error something is to be watched
watch();

export const config: HealthConfig = { failLevel: 'error', db: pool, checks: { storage: () => [] } };

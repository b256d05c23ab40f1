import { onTestFinished, test, vi } from 'vitest';
import { sharedService } from '../../../test/services/index.js';
import { chosen } from '../../../test/whole.js';
import { applications } from './applications.js';
import { expectVerified } from './verified.js';
import { writeProject } from './write-project.js';

const addresses = { redis: 'REDIS_URL', postgres: 'DATABASE_URL' } as const;

const started = chosen(Object.entries(applications), 'a BullMQ worker').flatMap(([name, fixture]) =>
  fixture.starts === 'redis' || fixture.starts === 'postgres'
    ? [{ name, fixture, service: fixture.starts }]
    : [],
);

test.each(started)(
  '$name: starts afterwards with its $service and passes verify',
  async ({ fixture, service }) => {
    vi.stubEnv(addresses[service], sharedService(service))
      // Prisma compiles its queries inside the package: no engine is used, and none is to be downloaded.
      .stubEnv('PRISMA_SCHEMA_ENGINE_BINARY', '/bin/true')
      .stubEnv('PRISMA_QUERY_ENGINE_LIBRARY', '/bin/true')
      .stubEnv('CHECKPOINT_DISABLE', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expectVerified(writeProject(fixture.files, fixture.packages, fixture.host));
  },
);

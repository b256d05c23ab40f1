import { onTestFinished, test, vi } from 'vitest';
import { sharedService } from '../../../test/services/index.js';
import { applications } from './applications.js';
import { expectVerified } from './verified.js';
import { writeProject } from './write-project.js';

const addresses = { postgres: 'DATABASE_URL' } as const;

// Its packages are installed first.
const started = Object.entries(applications).flatMap(([name, fixture]) =>
  fixture.starts === 'postgres' ? [{ name, fixture, service: fixture.starts }] : [],
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

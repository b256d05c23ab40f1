import type { Check } from '../../core/heartbeat/check.js';
import { property } from '../client.js';
import { pgPoolBelow } from '../databases/shapes.js';
import { loading } from '../loading.js';
import { withErrorListener } from '../with-error-listener.js';
import { folderOf } from './folders.js';
import type { RecognisedMigrations } from './shapes.js';
import { withScope } from '../../core/heartbeat/scope.js';

/** The check `check_migrations_applied` of a source that was recognised. */
export function migrationsCheck(source: unknown, recognised: RecognisedMigrations, root: unknown): Check {
  const roots = typeof root === 'string' ? [root] : [];
  const folder = folderOf(source, roots);
  const check = withScope(
    loading(
      'check_migrations_applied',
      () => import('../database-checks.js'),
      ({ migrationsApplied }) => migrationsApplied(recognised, folder, roots),
    ),
    // Without a second opinion: a build that never passed waits for its migrations, one that has keeps serving.
    'auto',
  );
  return withErrorListener(check, pgPoolBelow(property(source, 'dbClient') ?? property(source, 'db')));
}

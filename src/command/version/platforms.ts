import { encode, isSet, join, type Provider } from './provider.js';

/**
 * Platforms that build and run the code, by the variables each documents. They come after the CI providers: a job that
 * deploys to one of them may have its variables, too.
 */
export const platforms: readonly Provider[] = [
  {
    name: 'Vercel',
    runs: (env) => isSet(env['VERCEL']),
    identity: (env) => ({
      commit: env['VERCEL_GIT_COMMIT_SHA'],
      source: join(
        '/',
        hostOf(env['VERCEL_GIT_PROVIDER']),
        join('/', env['VERCEL_GIT_REPO_OWNER'], env['VERCEL_GIT_REPO_SLUG']),
      ),
      // The build log of a deployment is below its own address.
      build: join('/', host(env['VERCEL_URL']), '_logs'),
    }),
  },
  {
    name: 'Netlify',
    runs: (env) => isSet(env['NETLIFY']),
    identity: (env) => ({
      commit: env['COMMIT_REF'],
      source: env['REPOSITORY_URL'],
      build: join(
        '/deploys/',
        join('/', 'https://app.netlify.com/sites', encode(env['SITE_NAME'])),
        encode(env['DEPLOY_ID']),
      ),
    }),
  },
  {
    // It says owner and name of the repository and not on which host.
    name: 'Render',
    runs: (env) => isSet(env['RENDER']),
    identity: (env) => ({ commit: env['RENDER_GIT_COMMIT'] }),
  },
  {
    name: 'Railway',
    runs: (env) => isSet(env['RAILWAY_PROJECT_ID']),
    identity: (env) => ({
      commit: env['RAILWAY_GIT_COMMIT_SHA'],
      // Railway builds from GitHub only.
      source: join(
        '/',
        'https://github.com',
        join('/', env['RAILWAY_GIT_REPO_OWNER'], env['RAILWAY_GIT_REPO_NAME']),
      ),
      build: join(
        '?id=',
        join(
          '/service/',
          join('/', 'https://railway.com/project', encode(env['RAILWAY_PROJECT_ID'])),
          encode(env['RAILWAY_SERVICE_ID']),
        ),
        encode(env['RAILWAY_DEPLOYMENT_ID']),
      ),
    }),
  },
  {
    // SOURCE_VERSION is there while a buildpack runs, the others with dyno metadata.
    name: 'Heroku',
    runs: (env) =>
      isSet(env['HEROKU_BUILD_COMMIT']) ||
      isSet(env['HEROKU_SLUG_COMMIT']) ||
      (isSet(env['SOURCE_VERSION']) && /^(?:heroku|cnb)-/.test(env['STACK'] ?? '')),
    identity: (env) => ({
      commit: [env['SOURCE_VERSION'], env['HEROKU_BUILD_COMMIT'], env['HEROKU_SLUG_COMMIT']].find(isSet),
    }),
  },
  {
    // It says nothing of the commit: that comes with --set.
    name: 'Fly.io',
    runs: (env) => isSet(env['FLY_APP_NAME']),
    identity: () => ({}),
  },
];

const hosts = new Map([
  ['github', 'https://github.com'],
  ['gitlab', 'https://gitlab.com'],
  ['bitbucket', 'https://bitbucket.org'],
]);

function hostOf(provider: string | undefined): string | undefined {
  return hosts.get(provider ?? '');
}

/** The address of a host name; undefined for anything more than one. */
function host(name: string | undefined): string | undefined {
  return isSet(name) && /^[a-z0-9.-]+$/i.test(name) ? `https://${name}` : undefined;
}

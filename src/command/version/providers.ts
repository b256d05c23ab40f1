import { webUrl } from './address.js';
import { platforms } from './platforms.js';
import { type Environment, encode, type Identity, isSet, join, type Provider } from './provider.js';

/** CI providers, by the variables each documents. */
const providers: readonly Provider[] = [
  {
    name: 'GitHub Actions',
    runs: (env) => isSet(env['GITHUB_ACTIONS']),
    identity: (env) => {
      const source = join('/', env['GITHUB_SERVER_URL'], env['GITHUB_REPOSITORY']);
      return {
        commit: env['GITHUB_SHA'],
        version: env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] : undefined,
        source,
        build: join('/actions/runs/', webUrl(source), encode(env['GITHUB_RUN_ID'])),
      };
    },
  },
  {
    name: 'GitLab CI',
    runs: (env) => isSet(env['GITLAB_CI']),
    identity: (env) => ({
      commit: env['CI_COMMIT_SHA'],
      version: env['CI_COMMIT_TAG'],
      source: env['CI_PROJECT_URL'],
      build: webUrl(env['CI_JOB_URL']),
    }),
  },
  {
    name: 'CircleCI',
    runs: (env) => isSet(env['CIRCLECI']),
    identity: (env) => ({
      commit: env['CIRCLE_SHA1'],
      version: env['CIRCLE_TAG'],
      source: env['CIRCLE_REPOSITORY_URL'],
      build: webUrl(env['CIRCLE_BUILD_URL']),
    }),
  },
  {
    name: 'Buildkite',
    runs: (env) => isSet(env['BUILDKITE']),
    identity: (env) => {
      const build = webUrl(env['BUILDKITE_BUILD_URL']);
      return {
        commit: env['BUILDKITE_COMMIT'],
        version: env['BUILDKITE_TAG'],
        source: env['BUILDKITE_REPO'],
        build: join('#', build, encode(env['BUILDKITE_JOB_ID'])) ?? build,
      };
    },
  },
  {
    name: 'Azure Pipelines',
    runs: (env) => isSet(env['TF_BUILD']),
    identity: (env) => ({
      commit: env['BUILD_SOURCEVERSION'],
      version: /^refs\/tags\/(.+)/.exec(env['BUILD_SOURCEBRANCH'] ?? '')?.[1],
      source: env['BUILD_REPOSITORY_URI'],
      build: join(
        '/_build/results?buildId=',
        join('/', webUrl(env['SYSTEM_TEAMFOUNDATIONCOLLECTIONURI']), encode(env['SYSTEM_TEAMPROJECT'])),
        encode(env['BUILD_BUILDID']),
      ),
    }),
  },
  {
    name: 'Bitbucket Pipelines',
    runs: (env) => isSet(env['BITBUCKET_BUILD_NUMBER']),
    identity: (env) => {
      const source = join('/', 'https://bitbucket.org', env['BITBUCKET_REPO_FULL_NAME']);
      return {
        commit: env['BITBUCKET_COMMIT'],
        version: env['BITBUCKET_TAG'],
        source,
        build: join('/pipelines/results/', webUrl(source), encode(env['BITBUCKET_BUILD_NUMBER'])),
      };
    },
  },
  {
    name: 'Jenkins',
    runs: (env) => isSet(env['JENKINS_URL']),
    identity: (env) => ({
      commit: env['GIT_COMMIT'],
      version: env['TAG_NAME'],
      source: env['GIT_URL'],
      build: webUrl(env['BUILD_URL']),
    }),
  },
  {
    name: 'AWS CodeBuild',
    runs: (env) => isSet(env['CODEBUILD_BUILD_ARN']),
    identity: (env) => ({
      // From an artifact of CodePipeline it may be no commit.
      commit: env['CODEBUILD_RESOLVED_SOURCE_VERSION'],
      version: /^tag\/(.+)/.exec(env['CODEBUILD_WEBHOOK_TRIGGER'] ?? '')?.[1],
      source: env['CODEBUILD_SOURCE_REPO_URL'],
      build: join(
        '#/builds/',
        join('?region=', webUrl(env['CODEBUILD_BUILD_URL']), encode(env['AWS_REGION'])),
        join('/view/', encode(env['CODEBUILD_BUILD_ID']), 'new'),
      ),
    }),
  },
  {
    // It sets nothing by itself: `automapSubstitutions: true` in the build's options hands these over.
    name: 'Google Cloud Build',
    runs: (env) => isSet(env['PROJECT_ID']) && isSet(env['BUILD_ID']),
    identity: (env) => ({
      commit: env['COMMIT_SHA'],
      version: env['TAG_NAME'],
      source: join('/', 'https://github.com', env['REPO_FULL_NAME']),
      build: join(
        '?project=',
        join(
          '/',
          `https://console.cloud.google.com/cloud-build/builds${region(env)}`,
          encode(env['BUILD_ID']),
        ),
        encode(env['PROJECT_ID']),
      ),
    }),
  },
];

/** The CI provider that runs this process and its version fields; undefined if none is known. */
export function recognise(
  env: Environment,
): { readonly name: string; readonly identity: Identity } | undefined {
  const provider = [...providers, ...platforms].find(({ runs }) => runs(env));
  return provider && { name: provider.name, identity: provider.identity(env) };
}

function region(env: Environment): string {
  return isSet(env['LOCATION']) ? `;region=${encode(env['LOCATION'])}` : '';
}

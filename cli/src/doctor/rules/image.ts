import { isForDevelopers, isRoot, runsNode, usesLifesign } from '../traits.js';
import type { Workload } from '../workload.js';
import type { Rule } from './rule.js';

/** Images that are known to run as root; others are not judged. */
const rootImages =
  /^(?:docker\.io\/)?(?:library\/)?(?:node|python|ruby|golang|rust|php|perl|elixir|openjdk|eclipse-temurin|amazoncorretto|maven|gradle|alpine|debian|ubuntu|busybox|fedora|centos|rockylinux|almalinux|amazonlinux|scratch|buildpack-deps|oven\/bun|denoland\/deno)(?=[:@]|$)|^(?:public\.ecr\.aws\/(?:docker\/library|lambda)\/|gcr\.io\/distroless\/)/;
/** It comes with a user of its own. */
const ownUser = /nonroot|rootless|unprivileged|chainguard/;

function runsAsRoot(workload: Workload): boolean {
  const { user, format, image = '', build, file } = workload;
  if (user === undefined || !isRoot(user.text) || ownUser.test(image)) return false;
  if (format !== 'dockerfile') return workload.agent !== true && workload.lasting !== false;
  if (isForDevelopers(file) || workload.start === undefined) return false;
  return user.explicit === true || (rootImages.test(image) && build?.dropsRoot !== true);
}

export const userRoot: Rule = {
  id: 'user-root',
  level: 'advice',
  source: 'https://docs.docker.com/build/building/best-practices/#user',
  judge: (workload, call) => {
    const { user, format } = workload;
    if (user === undefined || !runsAsRoot(workload)) return [];
    // The manifests decide in the end.
    if (format === 'dockerfile' && call.otherUser) return [];
    return {
      line: user.line,
      sentence: 'The process runs as root: an attacker who escapes the container is root on the node.',
    };
  },
};

export const versionFile: Rule = {
  id: 'version-file',
  level: 'advice',
  source: 'https://github.com/mozilla-services/Dockerflow/blob/main/docs/version_object.md',
  judge: (workload, call) => {
    const { build, line, env } = workload;
    // Without lifesign there is no /__version__ that needs it.
    if (build === undefined || !(usesLifesign(workload) || (call.lifesign && runsNode(workload)))) return [];
    const { versionFiles, workdir, copiesSource } = build;
    const [first] = versionFiles;
    if (first === undefined) {
      const hint = copiesSource ? ' (unless it is in the source)' : '';
      return {
        line,
        sentence: `The build does not write version.json${hint}: /__version__ answers 404, and nobody can tell which build is running. Run npx lifesign version --set commit=… in it.`,
      };
    }
    if (workdir === undefined) return [];
    const wanted = env.get('HEALTH_VERSION_PATH');
    // The parent of the application is where the contract reads first.
    const read = new Set([wanted ?? workdir, parentOf(workdir)]);
    const known = versionFiles.flatMap(({ directory }) => directory ?? []);
    if (known.length < versionFiles.length || known.some((directory) => read.has(directory))) return [];
    return {
      line: first.line,
      sentence: `version.json is copied to ${known[0]}, but the service runs in ${workdir} and does not look there.`,
    };
  },
};

const parentOf = (path: string): string => path.replace(/\/[^/]*$/, '') || '/';

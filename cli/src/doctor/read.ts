import { fileUnusable } from '../../../src/command/errors.js';
import type { Source } from './files.js';
import { composeWorkloads } from './formats/compose.js';
import { dockerfileWorkload } from './formats/dockerfile.js';
import { ecsWorkloads } from './formats/ecs.js';
import { parseHcl } from './formats/hcl.js';
import { cloudRunWorkloads, kubernetesWorkloads } from './formats/kubernetes.js';
import { nomadWorkloads } from './formats/nomad.js';
import { parseYaml } from './formats/yaml.js';
import { at, type Tree } from './tree.js';
import type { Workload } from './workload.js';

/** The containers that a file describes; undefined where it was not named and is of no kind that is understood. */
export function workloadsIn(source: Source): readonly Workload[] | undefined {
  const { name, text, named } = source;
  const found = read(name, text);
  const template = text.includes('{{') && found.length === 0;
  if (typeof found !== 'string' && !template) return found;
  if (!named) return undefined;
  const cause = typeof found === 'string' ? found : 'it is a template';
  throw fileUnusable(name, 'read', /\{\{/.test(text) ? `${cause} (${templateHint})` : cause);
}

const templateHint =
  'a Helm template is not YAML until it is rendered: helm template . | lifesign-cli doctor -';
const unknown =
  'it is not a Kubernetes or Cloud Run manifest, a Compose file, a Dockerfile, an ECS task definition or a Nomad job';

/** Characters of a Dockerfile or a job file, which people write. */
const longestCode = 1024 * 1024;
const tooLong = `it has more than ${longestCode} characters`;

function read(name: string, text: string): readonly Workload[] | string {
  if (
    /(?:^|[/.])(?:Dockerfile|Containerfile)(?:\.[\w-]+)?$|\.dockerfile$/i.test(name) ||
    startsAsDockerfile(text)
  ) {
    if (text.length > longestCode) return tooLong;
    const workload = dockerfileWorkload(text, name);
    return workload === undefined ? 'it has no FROM' : [workload];
  }
  if (/\.(?:nomad|hcl)$/.test(name) || /^[ \t]{0,40}job[ \t]{1,40}"[^"\n]{0,200}"[ \t]{0,40}\{/m.test(text)) {
    if (text.length > longestCode) return tooLong;
    const tree = parseHcl(text);
    if (typeof tree === 'string') return tree;
    return at(tree, 'job') === undefined ? unknown : nomadWorkloads(tree, name);
  }
  const all = parseYaml(text, (document) => workloadsOf(document, name));
  if (typeof all === 'string') return all;
  const known = all.filter((workloads) => workloads !== undefined);
  return known.length === 0 ? unknown : known.flat();
}

/** For standard input, which has no name: by the first line that says something. */
function startsAsDockerfile(text: string): boolean {
  const first =
    text
      .slice(0, 65_536)
      .split('\n')
      .find((line) => !/^\s*(?:#|$)/.test(line)) ?? '';
  return /^\s*(?:FROM|ARG)\s+\w/i.test(first);
}

function workloadsOf(document: Tree, file: string): readonly Workload[] | undefined {
  if (at(document, 'kind') !== undefined && at(document, 'apiVersion') !== undefined) {
    return kubernetesWorkloads(document, file);
  }
  if (at(document, 'containerDefinitions') ?? at(document, 'taskDefinition'))
    return ecsWorkloads(document, file);
  if (at(document, 'template', 'containers')) return cloudRunWorkloads(document, file);
  return at(document, 'services')?.entries().length ? composeWorkloads(document, file) : undefined;
}

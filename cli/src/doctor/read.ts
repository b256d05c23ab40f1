import type { Source } from './files.js';
import { composeWorkloads } from './formats/compose.js';
import { dockerfileWorkload } from './formats/dockerfile.js';
import { ecsWorkloads } from './formats/ecs.js';
import { parseHcl } from './formats/hcl.js';
import { cloudRunWorkloads, kubernetesWorkloads } from './formats/kubernetes.js';
import { nomadWorkloads } from './formats/nomad.js';
import { parseYaml } from './formats/yaml.js';
import { type Front, frontOf } from './fronts.js';
import { at, type Tree } from './tree.js';
import type { Workload } from './workload.js';

/** The containers that a file describes; a text if it cannot be read, undefined if it was not named and is of no known kind. */
export function workloadsIn({ name, text, named }: Source): Read | string | undefined {
  if (text instanceof Error) return text.message;
  const found = read(name, text, named);
  if (typeof found !== 'string') return found;
  if (found === unknown && !named) return undefined;
  return text.includes('{{') ? `${found} (${templateHint})` : found;
}

/** The workloads that a file describes. */
export interface Read {
  readonly workloads: readonly Workload[];
  readonly fronts: readonly Front[];
}

const only = (workloads: readonly Workload[]): Read => ({ workloads, fronts: [] });

const templateHint = 'of a Helm template, render it first: helm template . | lifesign-cli doctor -';
const unknown =
  'it is not a Kubernetes or Cloud Run manifest, a Compose file, a Dockerfile, an ECS task definition or a Nomad job';

/** Characters of a Dockerfile or a job file, which people write. */
const maxCodeLength = 1024 * 1024;
const tooLong = `it has more than ${maxCodeLength} characters`;

/** `Dockerfile.web` and `web.Dockerfile`, not `dockerfile.ts`. */
const isDockerfile =
  /(?:^|[/.])(?:Dockerfile|Containerfile)(?:\.(?!(?:[cm]?[jt]sx?|py|go|rs|java|rb|sh|md|txt|json|ya?ml|dockerignore)$)[\w-]+)?$|\.dockerfile$/i;

function read(name: string, text: string, named: boolean): Read | string {
  if (isDockerfile.test(name) || startsAsDockerfile(text)) {
    if (text.length > maxCodeLength) return tooLong;
    const workload = dockerfileWorkload(text, name);
    return workload === undefined ? 'it has no FROM' : only([workload]);
  }
  if (/\.(?:nomad|hcl)$/.test(name) || /^[ \t]{0,40}job[ \t]{1,40}"[^"\n]{0,200}"[ \t]{0,40}\{/m.test(text)) {
    if (text.length > maxCodeLength) return tooLong;
    const tree = parseHcl(text);
    if (typeof tree === 'string') return tree;
    return at(tree, 'job') === undefined ? unknown : only(nomadWorkloads(tree, name));
  }
  // Most files of a folder are something else: the parser gets only those that may be a manifest.
  const isJson = /^\s*[[{](?!\{)/.test(text);
  if (!named && !(isJson ? jsonMarks : marks).test(text)) return unknown;
  // Blocks and values that only the template engine knows; in JSON they are in quotes, as in a file of translations.
  if (!isJson && /^\s*\{\{|[:-] +\{\{/m.test(text)) return 'it is not rendered';
  // Such as fly.toml, of which the YAML parser would name a line.
  if (name.endsWith('.toml')) return unknown;
  return readYaml(name, text);
}

/** The keys that show what a file is: a list of containers is JSON. */
const marks = /^[ \t]*["']?(?:apiVersion|services|containerDefinitions|taskDefinition|template)["']?[ \t]*:/m;
const jsonMarks =
  /[\s{,"'](?:apiVersion|services|containerDefinitions|taskDefinition|containers)["']?\s*:|^\s*\[[^]*"image"\s*:/;

function readYaml(name: string, text: string): Read | string {
  const all = parseYaml(text, (document) => readDocument(document, name));
  if (typeof all === 'string') return all;
  const known = all.filter((found) => found !== undefined);
  if (known.length === 0) return unknown;
  return {
    workloads: known.flatMap(({ workloads }) => workloads),
    fronts: known.flatMap(({ fronts }) => fronts),
  };
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

function readDocument(document: Tree, file: string): Read | undefined {
  if (at(document, 'kind') !== undefined && at(document, 'apiVersion') !== undefined) {
    const front = frontOf(document, file);
    return { workloads: kubernetesWorkloads(document, file), fronts: front === undefined ? [] : [front] };
  }
  const workloads = workloadsOf(document, file);
  return workloads && only(workloads);
}

function workloadsOf(document: Tree, file: string): readonly Workload[] | undefined {
  const [first] = document.items();
  const isList = at(first, 'image') !== undefined && at(first, 'name') !== undefined;
  if (
    at(document, 'containerDefinitions') ??
    at(document, 'taskDefinition') ??
    (isList ? document : undefined)
  )
    return ecsWorkloads(document, file);
  if (at(document, 'template', 'containers')) return cloudRunWorkloads(document, file);
  return isServices(at(document, 'services')) ? composeWorkloads(document, file) : undefined;
}

/** Services of Compose have something to run; other files use the word too. */
const isServices = (services: Tree | undefined): boolean =>
  services?.entries().some(([, service]) => service.entries().some(([key]) => runnable.test(key))) === true;

const runnable =
  /^(?:image|build|extends|command|entrypoint|healthcheck|depends_on|ports|environment|deploy|container_name)$/;

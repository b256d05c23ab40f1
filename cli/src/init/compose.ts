import { join } from 'node:path';
import { isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { Plan } from './changes.js';
import { entriesOf } from './files.js';
import type { Project } from './project.js';
import { addKeys, mapsIn, textIn } from './yaml-files.js';

const names = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** Adds the time to end to the service that is built from the project, and a check on its own `PORT`; on the usual port the image has one. */
export function changeCompose(
  plan: Plan,
  { directory, files }: Project,
  probe: readonly string[] | undefined,
): void {
  const present = new Set(entriesOf(directory).map((entry) => entry.name));
  const name = names.find((one) => present.has(one));
  if (name === undefined) return;
  const path = join(directory, name);
  const text = files.own(path);
  if (text === undefined) return;
  const document = parseDocument(text);
  const leave = (why: string): void =>
    plan.note(
      `${name} ${why}: lifesign-cli doctor ${name} says what its healthcheck and stop_grace_period need`,
    );
  if (document.errors.length > 0) return leave('does not parse');
  const built = mapsIn(document.get('services')).filter(([, service]) => isBuiltHere(service));
  if (built.length === 0) return leave('builds no service from this folder');
  // Services with a command of their own run something else of the same image.
  const usual = built.filter(([, service]) => !service.has('command') && !service.has('entrypoint'));
  const [[service, map] = []] = usual;
  if (service === undefined || map === undefined || usual.length > 1)
    return leave('has no single service that runs this image as it is');
  if (isMountedOver(map)) return leave(`mounts a folder of the host into ${service}`);
  const lines = map.has('stop_grace_period') ? [] : ['stop_grace_period: 30s'];
  const check = map.getIn(['healthcheck', 'test'], true);
  if (map.has('healthcheck')) {
    const [from = 0, to = 0] = isNode(check) ? (check.range ?? []) : [];
    if (!/lifesign/.test(text.slice(from, to))) leave(`has a healthcheck of ${service} already`);
  } else if (probe === undefined) leave(`got no healthcheck for ${service}, because the Dockerfile got none`);
  else if (hasPort(map))
    lines.push('healthcheck:', `  test: [${['CMD', ...probe].map((word) => `'${word}'`).join(', ')}]`);
  const reason = 'requests in progress have time to finish, and the check asks the port of this service';
  if (lines.length > 0 && !addKeys(plan, { path, name, text }, map, lines, reason))
    leave(`takes settings of ${service} from elsewhere`);
}

const isHere = (path: unknown): boolean => path === '.' || path === './';

/** Whether a service is built from the folder of the file, with its usual Dockerfile. */
function isBuiltHere(service: YAMLMap): boolean {
  const build = service.get('build');
  if (!isMap(build)) return isHere(build);
  const file = textIn(build, 'dockerfile') ?? 'Dockerfile';
  return isHere(build.get('context')) && /^(?:\.\/)?Dockerfile$/.test(file) && !build.has('target');
}

/** The texts of a list; of a map in it, its source. */
const textsIn = (list: unknown): string[] =>
  isSeq(list)
    ? list.items.map((item) =>
        isMap(item) ? (textIn(item, 'source') ?? '') : isScalar(item) ? String(item.value) : '',
      )
    : [];

/** A bind mount of the sources: the modules of the image may be hidden by it. */
const isMountedOver = (service: YAMLMap): boolean =>
  textsIn(service.get('volumes')).some((volume) => /^(?:\.\/?|\$\{PWD\})(?::|$)/.test(volume));

function hasPort(service: YAMLMap): boolean {
  const environment = service.get('environment');
  if (isMap(environment)) return environment.has('PORT');
  return textsIn(environment).some((text) => text.startsWith('PORT='));
}

import { join } from 'node:path';
import { isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import type { Plan } from './changes.js';
import { entriesOf } from './files.js';
import type { Probe } from './image.js';
import type { Project } from './project.js';
import { behindKeys, linesAt, mapsIn, textIn } from './yaml-places.js';

const names = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

/** Adds the check and the time to end to the service that is built from the project; `probe` is the command in its image. */
export function changeCompose(plan: Plan, { directory, files }: Project, probe: Probe | undefined): void {
  const present = new Set(entriesOf(directory).map((entry) => entry.name));
  const name = names.find((one) => present.has(one));
  const text = name === undefined ? undefined : files.own(join(directory, name));
  if (name === undefined || text === undefined) return;
  const document = parseDocument(text, { keepSourceTokens: true });
  const leave = (why: string): void =>
    plan.note(
      `${name} ${why}: lifesign-cli doctor ${name} says what its healthcheck and stop_grace_period need`,
    );
  if (document.errors.length > 0) return leave('does not parse');
  const built = mapsIn(document.get('services')).filter(([, service]) => isBuiltHere(service));
  // Services with a command of their own run something else of the same image.
  const usual = built.filter(([, service]) => !service.has('command') && !service.has('entrypoint'));
  const [found] = usual;
  if (found === undefined || usual.length > 1)
    return leave(
      built.length === 0
        ? 'builds no service from this folder'
        : 'has no single service that runs this image as it is',
    );
  const [service, map] = found;
  const place = behindKeys(text, map);
  if (place === undefined || map.has('<<') || isMountedOver(map))
    return leave(
      place === undefined || map.has('<<')
        ? `takes settings of ${service} from elsewhere`
        : `mounts a folder of the host into ${service}`,
    );
  const lines: string[] = [];
  if (!map.has('stop_grace_period')) lines.push('stop_grace_period: 30s');
  if (map.has('healthcheck')) {
    const check = map.getIn(['healthcheck', 'test'], true);
    const [from = 0, to = 0] = isNode(check) ? (check.range ?? []) : [];
    if (!/lifesign/.test(text.slice(from, to))) leave(`has a healthcheck of ${service} already`);
  } else {
    const command = probe?.commandFor(hasPort(map));
    if (command === undefined) leave(`got no healthcheck for ${service}, because the Dockerfile got none`);
    else
      lines.push(
        'healthcheck:',
        `  test: [${['CMD', ...command].map((word) => `'${word}'`).join(', ')}]`,
        '  interval: 10s',
        '  timeout: 5s',
        '  start_period: 10s',
      );
  }
  if (lines.length === 0) return;
  plan
    .of(join(directory, name), text)
    .insert(
      place.at,
      linesAt(text, place, lines),
      'depends_on and docker compose up wait for the check, and requests in progress have time to finish',
    );
}

const isHere = (path: unknown): boolean => path === '.' || path === './';

/** Whether a service is built from the folder of the file, with its usual Dockerfile. */
function isBuiltHere(service: YAMLMap): boolean {
  const build = service.get('build');
  if (!isMap(build)) return isHere(build);
  const file = textIn(build, 'dockerfile') ?? 'Dockerfile';
  return isHere(build.get('context')) && /^(?:\.\/)?Dockerfile$/.test(file) && !build.has('target');
}

/** A bind mount of the sources: the modules of the image may be hidden by it. */
function isMountedOver(service: YAMLMap): boolean {
  const volumes = service.get('volumes');
  return (
    isSeq(volumes) &&
    volumes.items.some((item) => {
      const source = isMap(item)
        ? item.get('source')
        : isScalar(item)
          ? String(item.value).split(':')[0]
          : '';
      return source === '.' || source === './' || source === '${PWD}';
    })
  );
}

function hasPort(service: YAMLMap): boolean {
  const environment = service.get('environment');
  if (isMap(environment)) return environment.has('PORT');
  return (
    isSeq(environment) &&
    environment.items.some((item) => isScalar(item) && String(item.value).startsWith('PORT='))
  );
}

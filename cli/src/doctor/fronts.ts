import { at, entriesAt, itemsAt, textAt, type Tree } from './tree.js';

/** A load balancer that keeps connections to containers open. */
export interface Front {
  /** For people: `Ingress shop`. */
  readonly name: string;
  /** Milliseconds that it keeps an idle connection to a container. */
  readonly idle: number;
  /** The Services it sends requests to; undefined if it is a Service itself. */
  readonly services?: readonly string[];
  /** The labels of the pods, of a Service. */
  readonly selector?: ReadonlyMap<string, string>;
}

/** Defaults of load balancers. */
const albIdle = 60_000;
const googleIdle = 600_000;

/** The load balancer or the Service that a document of Kubernetes describes. */
export function frontOf(document: Tree): Front | undefined {
  const kind = textAt(document, 'kind');
  const name = `${kind} ${textAt(document, 'metadata', 'name') ?? ''}`;
  if (kind === 'Ingress') {
    const idle = ingressIdle(document);
    return idle === undefined ? undefined : { name, idle, services: backendsOf(document) };
  }
  if (kind !== 'Service' || textAt(document, 'apiVersion') !== 'v1') return undefined;
  const annotation = numbered(
    annotationsOf(document).get('service.beta.kubernetes.io/aws-load-balancer-connection-idle-timeout'),
  );
  const selector = new Map(
    entriesAt(document, 'spec', 'selector').map(([key, { scalar }]) => [key, String(scalar)]),
  );
  return { name, idle: annotation ?? 0, selector };
}

const annotationsOf = (document: Tree): ReadonlyMap<string, string> =>
  new Map(entriesAt(document, 'metadata', 'annotations').map(([key, { scalar }]) => [key, String(scalar)]));

function ingressIdle(document: Tree): number | undefined {
  const annotations = annotationsOf(document);
  const type =
    textAt(document, 'spec', 'ingressClassName') ?? annotations.get('kubernetes.io/ingress.class') ?? '';
  const attributes = annotations.get('alb.ingress.kubernetes.io/load-balancer-attributes') ?? '';
  const written = numbered(/idle_timeout\.timeout_seconds=(\d+)/.exec(attributes)?.[1]);
  if (written !== undefined) return written;
  if (/^alb$/.test(type) || [...annotations.keys()].some((key) => key.startsWith('alb.ingress.')))
    return albIdle;
  return type.startsWith('gce') ? googleIdle : undefined;
}

const numbered = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : undefined;

function backendsOf(document: Tree): readonly string[] {
  const paths = itemsAt(document, 'spec', 'rules').flatMap((rule) => itemsAt(rule, 'http', 'paths'));
  const backends = [at(document, 'spec', 'defaultBackend'), ...paths.map((path) => at(path, 'backend'))];
  return backends.flatMap(
    (backend) => textAt(backend, 'service', 'name') ?? textAt(backend, 'serviceName') ?? [],
  );
}

/** The load balancer of the containers with these labels that keeps idle connections longest. */
export function frontFor(labels: ReadonlyMap<string, string>, fronts: readonly Front[]): Front | undefined {
  const services = fronts.filter(
    ({ selector }) =>
      selector !== undefined &&
      selector.size > 0 &&
      [...selector].every(([key, value]) => labels.get(key) === value),
  );
  const names = new Set(services.map(({ name }) => name.replace(/^Service /, '')));
  const found = [...services, ...fronts.filter((front) => front.services?.some((name) => names.has(name)))];
  return found.filter(({ idle }) => idle > 0).toSorted((a, b) => b.idle - a.idle)[0];
}

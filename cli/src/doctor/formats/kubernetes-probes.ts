import { isHere, requestOf } from '../requests.js';
import { at, numberAt, textAt, textsAt, type Tree } from '../tree.js';
import type { Probe, Role } from '../workload.js';
import { hole, isOpen } from './template.js';

const second = 1000;
/** Defaults of Kubernetes. */
const defaults = { timeout: second, period: 10 * second, threshold: 3 };

export const roles: readonly Role[] = ['startup', 'readiness', 'liveness'];

/** The probes of a container. */
export function probesOf(
  container: Tree,
  env: ReadonlyMap<string, string | undefined>,
  byDefault: string | undefined,
): readonly Probe[] {
  return roles.flatMap((role) => {
    const probe = at(container, `${role}Probe`);
    if (probe === undefined) return [];
    const command = textsAt(probe, 'exec', 'command');
    const initialDelay = numberAt(probe, 'initialDelaySeconds');
    const unknown = isOpen(probe);
    const seconds = (name: string, otherwise: number) => {
      const written = numberAt(probe, name);
      return written === undefined ? (unknown ? Number.NaN : otherwise) : written * second;
    };
    return [
      {
        role,
        line: probe.line,
        timeout: seconds('timeoutSeconds', defaults.timeout),
        period: seconds('periodSeconds', defaults.period),
        threshold: numberAt(probe, 'failureThreshold') ?? (unknown ? Number.NaN : defaults.threshold),
        ...(initialDelay !== undefined && { initialDelay: initialDelay * second }),
        ...(command && { kind: 'exec' as const, command, ...requestOf(command, env) }),
        ...connectionIn('tcp', at(probe, 'tcpSocket')),
        ...connectionIn('grpc', at(probe, 'grpc')),
        ...requestIn(at(probe, 'httpGet'), byDefault),
      },
    ];
  });
}

/** Whether another machine is asked: of its ports nothing is known. */
const hostIn = (probe: Tree): string => textAt(probe, 'host') ?? '';
const isElsewhere = (probe: Tree): boolean => !isHere(hostIn(probe));

function connectionIn(kind: 'tcp' | 'grpc', probe: Tree | undefined): Partial<Probe> {
  if (probe === undefined) return {};
  const [port, service] = [textAt(probe, 'port'), textAt(probe, 'service')];
  if (isElsewhere(probe)) return { kind, host: hostIn(probe) };
  return { kind, ...(port !== undefined && { port }), ...(service !== undefined && { service }) };
}

function requestIn(httpGet: Tree | undefined, byDefault: string | undefined): Partial<Probe> {
  if (httpGet === undefined) return {};
  const port = textAt(httpGet, 'port') ?? byDefault;
  // A probe that a template fills in has a path that only the template knows.
  const written = textAt(httpGet, 'path') ?? (isOpen(httpGet) ? hole : '/');
  const path = written.replace(/\?.*/, '').replace(/^(?![/$])/, '/');
  if (isElsewhere(httpGet)) return { kind: 'http', host: hostIn(httpGet) };
  return { kind: 'http', path, ...(port !== undefined && { port }) };
}

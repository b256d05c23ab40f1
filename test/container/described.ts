import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
export const readDeploy = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

/** Where a platform asks: a path, and a port if the file has one. */
export interface Asked {
  readonly path: string;
  readonly port?: number;
}

/** What a file says of the probes. */
export interface Described {
  readonly startup?: Asked | undefined;
  readonly readiness?: Asked | undefined;
  readonly liveness?: Asked | undefined;
  readonly peers?: string;
  /** Variables of the service. */
  readonly env: Readonly<Record<string, string>>;
}

type Variables = readonly { readonly name: string; readonly value: string }[];
export const variables = (list: Variables = []) =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
export const described = (
  env: Readonly<Record<string, string>>,
  probes: Omit<Described, 'env' | 'peers'>,
) => ({
  env,
  ...probes,
  ...(env['HEALTH_PROBES_PEERS'] !== undefined && { peers: env['HEALTH_PROBES_PEERS'] }),
});

/** The kinds of file that are understood. */
export type Format = 'kubernetes' | 'cloud-run' | 'compose' | 'ecs' | 'nomad' | 'dockerfile';

/** What a probe does when it fails: restart, take out of rotation, or hold back the other two. */
export type Role = 'liveness' | 'readiness' | 'startup';

/** What a platform asks, and how. Times are in milliseconds. */
export interface Probe {
  readonly role: Role;
  readonly line: number;
  /** Of an HTTP request, whatever sends it; undefined for a probe of another kind. */
  readonly path?: string;
  /** A number or a name, as it is written; undefined where it is not said. */
  readonly port?: string;
  /** The words of a command that runs in the container. */
  readonly command?: readonly string[];
  readonly timeout: number;
  readonly initialDelay?: number;
}

/** How the process is started. */
export interface Start {
  readonly line: number;
  /** Whether a shell starts it, and gets the signals. */
  readonly shell: boolean;
  readonly words: readonly string[];
}

/** One container, whatever file describes it. */
export interface Workload {
  readonly format: Format;
  readonly file: string;
  readonly line: number;
  /** For people: `Deployment shop, container web`. */
  readonly name: string;
  readonly image?: string;
  readonly probes: readonly Probe[];
  /** By their names; those without one by their numbers. */
  readonly ports: ReadonlyMap<string, string>;
  /** Values that come from elsewhere are undefined. */
  readonly env: ReadonlyMap<string, string | undefined>;
  /** Whether more variables come from elsewhere: from a ConfigMap, or a file. */
  readonly moreEnv?: boolean;
  /** How long the platform waits after SIGTERM: as written, or as it is by default. */
  readonly grace?: { readonly ms: number; readonly line?: number };
  /** Whether something runs before SIGTERM. */
  readonly preStop?: boolean;
  /** Whether an init process hands on signals. */
  readonly init?: boolean;
  readonly user?: { readonly text: string; readonly line: number };
  readonly start?: Start;
  /** What the build of an image says of version.json; undefined where no image is built. */
  readonly build?: Build;
  /** Programs that the build adds to the image. */
  readonly tools?: readonly string[];
}

export interface Build {
  /** Lines that make or copy version.json, with the directory it is put in where that can be told. */
  readonly versionFiles: readonly { readonly line: number; readonly directory?: string }[];
  /** Where the service runs. */
  readonly workdir: string;
  readonly copiesSource: boolean;
}

/** A time such as `30s`, `1m30s` or `500ms`, in milliseconds. */
export function timeOf(text: string | undefined): number | undefined {
  const parts = [...(text ?? '').matchAll(/(\d{1,9}(?:\.\d+)?)(ms|us|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  const units: Readonly<Record<string, number>> = {
    us: 0.001,
    ms: 1,
    s: 1000,
    m: 60_000,
    h: 3_600_000,
    d: 86_400_000,
  };
  return parts.reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (units[unit] ?? 0), 0);
}

/** What a command in the container asks for over HTTP: path and port. */
export function requestOf(
  words: readonly string[],
  env: ReadonlyMap<string, string | undefined>,
): Pick<Probe, 'path' | 'port'> {
  const line = words.join(' ');
  if (/\blifesign\b.{0,300}\bprobe\b/.test(line)) return probeRequest(line, env);
  const [, authority = '', path = '/'] = /https?:\/\/([^\s/'"]+)(\/[^\s'"|;&)]*)?/.exec(line) ?? [];
  if (authority === '') return {};
  const given = portIn(authority) ?? (line.includes('https://') ? '443' : '80');
  return { path: path.replace(/[?#].*/, ''), port: variable(given, env) };
}

/** What stands after the host, which may be an address of IPv6 in brackets. */
function portIn(authority: string): string | undefined {
  const colon = authority.indexOf(':', authority.indexOf(']') + 1);
  return colon === -1 ? undefined : authority.slice(colon + 1);
}

/** As `lifesign probe` reads its own options. */
function probeRequest(
  line: string,
  env: ReadonlyMap<string, string | undefined>,
): Pick<Probe, 'path' | 'port'> {
  const path = /--path[ =](\S+)/.exec(line)?.[1];
  const [, authority, own] = /https?:\/\/([^\s/'"]+)(\/[^\s'"]*)?/.exec(line) ?? [];
  const port = /--port[ =](\S+)/.exec(line)?.[1] ?? portIn(authority ?? '');
  const asked = path ?? (own === undefined || own === '/' ? '/__lbheartbeat__' : own);
  return { path: asked.replace(/[?#].*/, ''), port: variable(port ?? '${PORT:-8000}', env) };
}

/** `$PORT`, `${PORT}` and `${PORT:-8000}` are what the environment says. */
export function variable(text: string, env: ReadonlyMap<string, string | undefined>): string {
  return text.replace(
    /\$\{(\w{1,200})(?::?-([^}]{0,300}))?\}|\$(\w{1,200})/g,
    (whole, braced?: string, other?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return (env.has(name) ? env.get(name) : other) ?? whole;
    },
  );
}

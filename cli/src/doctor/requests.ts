import type { Probe } from './workload.js';

type Request = Pick<Probe, 'path' | 'port' | 'host'>;
type Env = ReadonlyMap<string, string | undefined>;

/** The HTTP requests of a command in the container: path and port. */
export function requestOf(words: readonly string[], env: Env): Request {
  const line = words.join(' ');
  if (/\blifesign\b.{0,300}\bprobe\b/.test(line)) return probeRequest(line, env);
  const [, scheme = '', authority = '', path = '/'] = withScheme.exec(line) ?? withoutScheme(line) ?? [];
  // A program of its own that gets the path as an argument.
  if (authority === '')
    return /(?:^|[\s'"=])\/__heartbeat__(?=[\s'"]|$)/.test(line) ? { path: '/__heartbeat__' } : {};
  const given = portIn(authority) ?? (scheme === 'https://' ? '443' : '80');
  const host = authority.replace(/^[^@]*@/, '').replace(/:[^:\]]*$/, '');
  return {
    path: path.replace(/[?#].*/, ''),
    port: variable(given, env),
    ...(!isHere(host) && { host }),
  };
}

const withScheme = /(https?:\/\/)([^\s/'"`]+)(\/[^\s'"`|;&)]*)?/;
const bare =
  /[\s'"]()((?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\$\{?(?:HOSTNAME|HOST|POD_IP)\}?|\$\(hostname[^)]*\))?(?::(?:\d{1,5}|\$\{?\w+(?::?-\d+)?\}?))?)(\/[^\s'"`|;&)]*)?(?=[\s'"`|;&)]|$)/;

/** curl, wget and httpie accept an address without `http://`. */
function withoutScheme(line: string): readonly string[] | undefined {
  if (!/(?:^|[\s"'/])(?:curl|wget|https?)\s/.test(line)) return undefined;
  const all = [...line.matchAll(new RegExp(bare, 'g'))];
  return all.map((found) => [...found]).find(([, , authority = '']) => authority !== '');
}

const here = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1?\]?|host\.docker\.internal|\$.*|)$/i;
/** Whether an address is of the container itself; a variable may be. */
export const isHere = (host: string): boolean => here.test(host);

/** The part after the host, which may be an IPv6 address in brackets. */
function portIn(authority: string): string | undefined {
  const colon = authority.indexOf(':', authority.indexOf(']') + 1);
  return colon === -1 ? undefined : authority.slice(colon + 1);
}

/** As `lifesign probe` reads its own options. */
function probeRequest(line: string, env: Env): Request {
  const path = /--path[ =](\S+)/.exec(line)?.[1];
  const [, authority, own] = /(?:https?:\/\/|\s(?=localhost|127\.))([^\s/'"]+)(\/[^\s'"]*)?/.exec(line) ?? [];
  const port = /--port[ =](\S+)/.exec(line)?.[1] ?? portIn(authority ?? '');
  const asked = path ?? (own === undefined || own === '/' ? '/__lbheartbeat__' : own);
  return { path: asked.replace(/[?#].*/, ''), port: variable(port ?? '${PORT:-8000}', env) };
}

/** `$PORT`, `${PORT}` and `${PORT:-8000}` are read from the environment. */
export function variable(text: string, env: Env): string {
  return text.replace(
    /\$\{(\w{1,200})(?::?-([^}]{0,300}))?\}|\$(\w{1,200})/g,
    (whole, braced?: string, other?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return (env.has(name) ? env.get(name) : other) ?? whole;
    },
  );
}

/** The flags of Node that load this package: `lifesign/auto`, or a path that depends on the working directory. */
const relative =
  /^(?:lifesign\/auto|\.{0,2}[^:]*[/\\]lifesign[/\\]dist[/\\](?:cjs[/\\])?auto[/\\]index\.js)$/;
const flags = /^(?:--import|--require|-r)$/;
const withValue = /^(--import|--require)=(.*)$/s;

/** The addresses of this package: `--import` takes a URL, `--require` a path. */
export interface Addresses {
  readonly url: string;
  readonly path: string;
}

/**
 * The same flags with the address of this package in place of its bare name, so that children in another directory find it, too. Every other
 * flag is left as it is. Undefined if nothing changes.
 */
export function withAddress(args: readonly string[], addresses: Addresses): readonly string[] | undefined {
  let changed = false;
  const address = (flag: string | undefined, value: string): string => {
    if (!relative.test(value) || isAbsolute(value)) return value;
    changed = true;
    return flag === '--import' ? addresses.url : addresses.path;
  };
  const written = args.map((arg, index) => {
    const previous = args[index - 1];
    if (previous !== undefined && flags.test(previous)) return address(previous, arg);
    const [, flag, value] = withValue.exec(arg) ?? [];
    return flag === undefined || value === undefined ? arg : `${flag}=${address(flag, value)}`;
  });
  return changed ? written : undefined;
}

const isAbsolute = (path: string): boolean => /^(?:[/\\]|[a-z]:)/i.test(path);

interface Word {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The words of NODE_OPTIONS, as Node reads them: spaces separate, double quotes join, and a backslash escapes inside them. */
export function wordsOf(options: string): readonly Word[] {
  const words: Word[] = [];
  for (const { 0: raw, index: start } of options.matchAll(/(?:"(?:\\[^]|[^"\\])*"?|[^ "])+/g)) {
    const text = raw.replaceAll(/"((?:\\[^]|[^"\\])*)"?/g, (_all, inner: string) =>
      inner.replaceAll(/\\([^])/g, '$1'),
    );
    words.push({ start, end: start + raw.length, text });
  }
  return words;
}

/** NODE_OPTIONS with the address of this package; every other character stays as it is. */
export function optionsWithAddress(options: string, addresses: Addresses): string {
  const words = wordsOf(options);
  const written = withAddress(
    words.map(({ text }) => text),
    addresses,
  );
  if (written === undefined) return options;
  return words.reduceRight((all, { start, end, text }, index) => {
    const word = written[index] ?? text;
    return word === text ? all : all.slice(0, start) + quoted(word) + all.slice(end);
  }, options);
}

/** Quoted only if Node would read it as something else. */
function quoted(word: string): string {
  return /[ "\\]/.test(word) ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : word;
}

// Reads the text format by its grammar, and refuses what breaks it. It shares nothing with the code that writes.

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The families of an exposition, by name. Throws where it breaks the format. */
export function parse(body: string): ReadonlyMap<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily & { samples: Sample[] }>();
  const seen = new Set<string>();
  const lines = body.split('\n');
  if (lines.pop() !== '') throw new Error('The last line has no line feed');
  let help: { name: string; text: string } | undefined;
  let family: (ParsedFamily & { samples: Sample[] }) | undefined;
  for (const line of lines) {
    if (line.startsWith('#')) {
      const [, kind = '', name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.*)$/s.exec(line) ?? [];
      if (kind === 'HELP') help = { name, text: unescape(rest) };
      else if (kind === 'TYPE') {
        if (help?.name !== name) throw new Error(`TYPE without HELP: ${line}`);
        if (families.has(name)) throw new Error(`A second family: ${line}`);
        if (!['gauge', 'counter', 'histogram'].includes(rest)) throw new Error(`No such type: ${line}`);
        family = { name, type: rest, help: help.text, samples: [] };
        families.set(name, family);
      } else throw new Error(`Not understood: ${line}`);
      continue;
    }
    const sample = parseSample(line);
    if (family === undefined || !belongs(sample.name, family)) throw new Error(`Of another family: ${line}`);
    const series = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted())}`;
    if (seen.has(series)) throw new Error(`Twice: ${line}`);
    seen.add(series);
    family.samples.push(sample);
  }
  for (const each of families.values()) {
    if (each.samples.length === 0) throw new Error(`${each.name} has no samples`);
    if (each.type === 'histogram') requireHistogram(each);
  }
  return families;
}

function belongs(name: string, { name: family, type }: ParsedFamily): boolean {
  if (type === 'histogram')
    return ['_bucket', '_sum', '_count'].some((suffix) => name === `${family}${suffix}`);
  return name === family && (type !== 'counter' || name.endsWith('_total'));
}

const number = /^(?:NaN|[+-]Inf|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i;

function parseSample(line: string): Sample {
  const name = /^[a-zA-Z_:][\w:]*/.exec(line)?.[0] ?? '';
  if (name === '') throw new Error(`No name: ${line}`);
  const labels: Record<string, string> = {};
  let rest = line.slice(name.length);
  if (rest.startsWith('{')) {
    const label = /(?:^\{|,)([a-zA-Z_]\w*)="((?:[^"\\]|\\["\\n])*)"(?=[,}])/y;
    let end = 0;
    for (let found = label.exec(rest); found !== null; found = label.exec(rest)) {
      const [, key = '', value = ''] = found;
      if (key in labels) throw new Error(`A label is there twice: ${line}`);
      labels[key] = value.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
      end = label.lastIndex;
    }
    if (end === 0 || rest[end] !== '}') throw new Error(`The labels are wrong: ${line}`);
    rest = rest.slice(end + 1);
  }
  const value = rest.slice(1);
  if (!rest.startsWith(' ') || !number.test(value)) throw new Error(`No value: ${line}`);
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) };
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.?)/gs, (_, character: string) => {
    if (character === 'n') return '\n';
    if (character === '\\') return character;
    throw new Error(`No such escape in a help text: ${text}`);
  });
}

/** Buckets of each series grow, the last is +Inf and holds as many as there are. */
function requireHistogram({ name, samples }: ParsedFamily): void {
  const series = new Map<string, { buckets: [string, number][]; count?: number; sum?: number }>();
  for (const { name: sample, labels, value } of samples) {
    const { le, ...others } = labels;
    const key = JSON.stringify(others);
    const found = series.get(key) ?? { buckets: [] };
    series.set(key, found);
    if (sample === `${name}_bucket`) found.buckets.push([le ?? '', value]);
    else found[sample === `${name}_sum` ? 'sum' : 'count'] = value;
  }
  for (const [key, { buckets, count, sum }] of series) {
    const bounds = buckets.map(([le]) => Number(le.replace('Inf', 'Infinity')));
    const counts = buckets.map(([, value]) => value);
    const grows = (numbers: readonly number[]) =>
      numbers.every((n, index) => n >= (numbers[index - 1] ?? -Infinity));
    if (!grows(bounds) || new Set(bounds).size < bounds.length || !grows(counts))
      throw new Error(`${name}${key} is not cumulative`);
    if (buckets.at(-1)?.[0] !== '+Inf' || counts.at(-1) !== count)
      throw new Error(`${name}${key} does not add up`);
    if (sum === undefined || Number.isNaN(sum)) throw new Error(`${name}${key} has no sum`);
  }
}

/** The value of one series: `valueOf(parsed, 'lifesign_check_up', { check: 'storage' })`. */
export function valueOf(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const all = [...families.values()].flatMap(({ samples }) => samples);
  return all.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

// Reads the text format by its grammar, character by character, and refuses what breaks them. It shares nothing with the code that writes.

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

function parseSample(line: string): Sample {
  const name = /^[a-zA-Z_:][\w:]*/.exec(line)?.[0] ?? '';
  if (name === '') throw new Error(`No name: ${line}`);
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === '{') {
    at += 1;
    while (line[at] !== '}') {
      const label = /^[a-zA-Z_]\w*(?==")/.exec(line.slice(at))?.[0] ?? '';
      if (label === '' || label in labels) throw new Error(`A label is wrong: ${line}`);
      at += label.length + 2;
      let value = '';
      while (line[at] !== '"') {
        if (at >= line.length) throw new Error(`A label does not end: ${line}`);
        if (line[at] === '\\') {
          const meant = { '\\': '\\', '"': '"', n: '\n' }[line[at + 1] ?? ''];
          if (meant === undefined) throw new Error(`No such escape: ${line}`);
          value += meant;
          at += 2;
        } else {
          value += line[at];
          at += 1;
        }
      }
      labels[label] = value;
      at += 1;
      if (line[at] === ',') at += 1;
      else if (line[at] !== '}') throw new Error(`Labels are not separated: ${line}`);
    }
    at += 1;
  }
  const number = line.slice(at + 1);
  if (line[at] !== ' ' || !/^(?:NaN|[+-]Inf|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i.test(number)) {
    throw new Error(`No value: ${line}`);
  }
  return { name, labels, value: Number(number.replace('Inf', 'Infinity')) };
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
    const isSorted = (numbers: readonly number[], strictly: boolean) =>
      numbers.every(
        (n, index) =>
          index === 0 || (strictly ? n > (numbers[index - 1] ?? 0) : n >= (numbers[index - 1] ?? 0)),
      );
    if (!isSorted(bounds, true) || !isSorted(counts, false))
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

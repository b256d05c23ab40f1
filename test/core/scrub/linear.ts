/** Time is taken at these lengths: what is linear grows 16 times, what is quadratic 256 times. */
const short = 1024;
const long = 16 * short;
const most = 80;
/** Milliseconds that the long text may take however it grows: its length squared takes a hundred at the very least. */
const free = 8;

/** What takes a text; it is called with texts that are made to be slow. */
export type Taker = (text: string) => unknown;

/** The attack that made a function slow, or undefined. Noise cannot fail it: one good run of many is enough. */
export function slowestAttack(take: Taker, attacks: Iterable<Attack>): string | undefined {
  for (const attack of attacks) {
    const [small, large] = [textOf(attack, short), textOf(attack, long)];
    let base = 0;
    let grown = Infinity;
    // A first look is enough for nearly all. What is slow is slow in every run; 40 of them or a second are tried.
    const until = cpuTime() + 1000;
    for (let run = 0; run < 40 && isSlow(base, grown) && cpuTime() < until; run += 1) {
      grown = Math.min(grown, timeOf(take, large));
      base = run === 0 ? timeOf(take, small) : Math.min(base, timeOf(take, small));
    }
    if (isSlow(base, grown)) {
      return `${JSON.stringify(attack)}: ${base.toFixed(2)} ms for ${short}, ${grown.toFixed(2)} ms for ${long} characters`;
    }
  }
  return undefined;
}

function isSlow(base: number, grown: number): boolean {
  return grown > free && grown > most * base;
}

/** A text that begins with `head`, goes on with as many pumps as fit, and ends with `tail`. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
  readonly tail: string;
}

function textOf({ head, pump, tail }: Attack, length: number): string {
  // Flat, so that no run pays for the making of it.
  return Buffer.from(head + pump.repeat(Math.ceil(length / pump.length)).slice(0, length) + tail).toString();
}

function timeOf(take: Taker, text: string): number {
  const started = cpuTime();
  take(text);
  return cpuTime() - started;
}

/** Milliseconds of this process: a clock on the wall also counts the turns of others on a busy machine. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const tails = ['', '\n', '!', '\u0000', ' x', '"', '@', '/'];

/** Attacks made of what a text consists of: its beginnings and pieces again and again. */
export function* attacksFrom(text: string, random: () => number, count: number): Generator<Attack> {
  const chars = Array.from(text);
  if (chars.length === 0) return;
  const pick = (most: number) => Math.floor(random() * most);
  for (let made = 0; made < count; made += 1) {
    const from = pick(chars.length);
    const to = Math.min(chars.length, from + 1 + pick(6));
    const kinds = [
      { head: '', pump: chars.slice(0, 1 + pick(chars.length)).join('') },
      { head: chars.slice(0, from).join(''), pump: chars.slice(from, to).join('') },
      { head: '', pump: chars.slice(from, to).join('') },
      {
        head: '',
        pump: `${chars.slice(0, 1 + pick(chars.length)).join('')}${[' ', '\n', '"', '-', '.', ':'][pick(6)]}`,
      },
    ];
    const kind = kinds[made % kinds.length];
    if (kind !== undefined) yield { ...kind, tail: tails[pick(tails.length)] ?? '' };
  }
}

/** Texts made of what a pattern asks for, in its order. Looks around and boundaries add no characters. */
export function samplesOf(pattern: RegExp, count: number, seed: number): readonly string[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => new Sampler(pattern, random).alternatives());
}

const candidates = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
  '\n',
  '\t',
  '\r',
  '\u00e9',
  '\u2028',
];

class Sampler {
  readonly #source: string;
  readonly #flags: string;
  readonly #random: () => number;
  #at = 0;

  constructor(pattern: RegExp, random: () => number) {
    this.#source = pattern.source;
    this.#flags = pattern.flags.replace(/[^iu]/g, '');
    this.#random = random;
  }

  /** One of the alternatives up to the end of the group. */
  alternatives(): string {
    const found: string[] = [this.#sequence()];
    while (this.#source.charAt(this.#at) === '|') {
      this.#at += 1;
      found.push(this.#sequence());
    }
    return found[Math.floor(this.#random() * found.length)] ?? '';
  }

  #sequence(): string {
    let text = '';
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      const start = this.#at;
      const piece = this.#piece();
      const end = this.#at;
      const [least, most] = this.#times();
      const times = least + Math.floor(this.#random() * (Math.min(most, least + 4) - least + 1));
      if (times > 0) text += piece;
      const after = this.#at;
      for (let time = 1; time < times; time += 1) {
        this.#at = start;
        text += this.#piece();
      }
      this.#at = Math.max(after, end);
    }
    return text;
  }

  #piece(): string {
    const char = this.#source.charAt(this.#at);
    if (char === '(') return this.#group();
    if (char === '[') return this.#class();
    this.#at += 1;
    if (char === '^' || char === '$') return '';
    if (char === '.') return this.#oneOf('.');
    if (char !== '\\') return char;
    const code =
      /^(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]*\}|[^])/i.exec(this.#source.slice(this.#at))?.[0] ?? '';
    this.#at += code.length;
    return /^[bB1-9]$/.test(code) ? '' : this.#oneOf(`\\${code}`);
  }

  #group(): string {
    const opening = /^\((?:\?(?:<?[=!]|:|<\w+>))?/.exec(this.#source.slice(this.#at))?.[0] ?? '(';
    this.#at += opening.length;
    const text = this.alternatives();
    this.#at += 1;
    return /[=!]$/.test(opening) ? '' : text;
  }

  #class(): string {
    const text = /^\[(?:\\[^]|[^\]\\])*\]/.exec(this.#source.slice(this.#at))?.[0] ?? '[';
    this.#at += text.length;
    return this.#oneOf(text);
  }

  #oneOf(source: string): string {
    const one = new RegExp(`^${source}$`, this.#flags);
    const fitting = candidates.filter((char) => one.test(char));
    return fitting[Math.floor(this.#random() * fitting.length)] ?? '\u0081';
  }

  #times(): readonly [number, number] {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at));
    if (found === null) return [1, 1];
    this.#at += found[0].length;
    if (found[0].startsWith('*')) return [0, Infinity];
    if (found[0].startsWith('+')) return [1, Infinity];
    if (found[0].startsWith('?')) return [0, 1];
    const least = Number(found[1]);
    if (found[2] === '') return [least, least];
    return [least, found[3] === '' ? Infinity : Number(found[3])];
  }
}

/** Numbers from 0 to 1 that a seed decides. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

import type { Sent } from './evidence.js';
import { must, quoted, type Result, resultOf, should, type Verdict } from './rule.js';

type Json = Readonly<Record<string, unknown>>;

const [isLogged, isAborted, isTrue] = [
  must('logs.requests', '71-request-summary'),
  should('logs.aborted', 'logging.md'),
  should('logs.facts', 'logging.md'),
];
export const sentHeads = [isLogged, isAborted, isTrue];

/** Finds in a log the requests that were just sent: each must be there once, with its own facts. */
export class SentRequests {
  readonly #byRid = new Map<string, { readonly sent: Sent; found: number }>();
  /** Lines that have another rid, by method and path: a service may make up its own. */
  readonly #strangers = new Map<string, number>();
  readonly #keys: ReadonlySet<string>;
  #wrong = '';

  constructor(sent: readonly Sent[]) {
    this.#keys = new Set(sent.map(({ method, path }) => `${method} ${path}`));
    for (const one of sent) this.#byRid.set(one.rid, { sent: one, found: 0 });
  }

  add({ rid, method, path, code }: Json, line: number): void {
    const entry = typeof rid === 'string' ? this.#byRid.get(rid) : undefined;
    if (entry === undefined) {
      const key = `${String(method)} ${String(path)}`;
      if (this.#keys.has(key)) this.#strangers.set(key, (this.#strangers.get(key) ?? 0) + 1);
      return;
    }
    entry.found += 1;
    const { sent } = entry;
    for (const [name, value, right] of [
      ['method', method, sent.method],
      ['path', path, sent.path],
      ['code', code, sent.code],
    ] as const) {
      if (value !== right && right !== undefined)
        this.#wrong ||= `line ${line}: ${name} is ${quoted(value)}; it was ${quoted(right)}`;
    }
  }

  /** Whether every request has a line: late ones may still come. */
  get complete(): boolean {
    return [...this.#byRid.values()].every(({ found }) => found > 0);
  }

  results(): readonly Result[] {
    const left = this.#unlogged().some(({ code }) => code === undefined);
    return [
      resultOf(isLogged, this.#requestsVerdict()),
      resultOf(isAborted, left ? 'the request whose client left before its answer has no line' : undefined),
      resultOf(isTrue, this.#factsVerdict()),
    ];
  }

  #requestsVerdict(): Verdict {
    const all = [...this.#byRid.values()];
    if (all.length === 0) return { skipped: 'the service answered no requests' };
    const twice = all.find(({ found }) => found > 1);
    if (twice !== undefined) return `${shown(twice.sent)} has ${twice.found} lines; it must have one`;
    const missing = this.#unlogged().filter(({ code }) => code !== undefined);
    const [first] = missing;
    return first && `${missing.length} of ${all.length} requests have no line, the first one ${shown(first)}`;
  }

  /** By rid, or, if the service does not take over ids, by the number of lines. */
  #unlogged(): readonly Sent[] {
    const left = new Map(this.#strangers);
    return [...this.#byRid.values()].flatMap(({ sent, found }) => {
      if (found > 0) return [];
      const key = `${sent.method} ${sent.path}`;
      const lines = left.get(key) ?? 0;
      left.set(key, lines - 1);
      return lines > 0 ? [] : [sent];
    });
  }

  #factsVerdict(): Verdict {
    const all = [...this.#byRid.values()];
    if (all.length === 0) return { skipped: 'the service answered no requests' };
    if (this.#wrong !== '') return this.#wrong;
    const without = all.filter(({ sent, found }) => found === 0 && sent.code !== undefined).length;
    if (without === 0) return undefined;
    if (this.#unlogged().filter(({ code }) => code !== undefined).length === without)
      return { skipped: 'there are no log lines for the requests' };
    return `${without} requests were sent with an X-Request-Id that is not the rid of their line`;
  }
}

const shown = ({ method, path, rid }: Sent) => `${method} ${path} (rid ${rid})`;

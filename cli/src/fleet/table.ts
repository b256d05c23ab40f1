import {
  age,
  count,
  type Io,
  isExplained,
  moreAbout,
  painter,
  printable,
  printableJson,
  type Style,
} from '../../../src/tools.js';
import type { Fleet, Instance, Service, State } from './fleet.js';
import { buildName, lastPassed, remark, rolloutOf, countsText, statusWord } from './words.js';

/** The instances to show, and how many. */
export interface View {
  readonly fleet: Fleet;
  readonly address: string;
  /** Why the view is old; undefined when it is not. */
  readonly problem?: string | undefined;
  /** How old it is, in milliseconds. */
  readonly age?: number;
  /** Instances listed of each service. */
  readonly maxRows: number;
}

const marks: Readonly<Record<State, string>> = {
  down: '✗',
  failing: '✗',
  unknown: '?',
  draining: '↓',
  gone: '-',
  ok: '✓',
};
const styles: Readonly<Record<State, Style>> = {
  down: 'red',
  failing: 'red',
  unknown: 'yellow',
  draining: 'yellow',
  gone: 'dim',
  ok: 'green',
};

/** Messages whose explanation is named. */
const maxExplained = 5;
/** Findings shown of an instance. */
const maxFindings = 5;
/** A name, a build and a word are never wider. */
const widest = { name: 48, build: 32 };
const narrowest = 40;

/** A line of text before it is coloured: pieces with their style. */
type Line = readonly (readonly [Style | undefined, string])[];

/** The view as lines for a terminal, cut to its width, or for a pipe. */
export function table(view: View, io: Io): readonly string[] {
  const paint = painter(io, io.stdout);
  const width = io.stdout.isTTY === true ? Math.max(narrowest, io.stdout.columns ?? 80) : Infinity;
  return linesOf(view).map((line) => {
    let left = width;
    return line
      .map(([style, raw]) => {
        const text = fit(printable(raw), left);
        left -= widthOf(text);
        return style === undefined ? text : paint(style, text);
      })
      .join('')
      .trimEnd();
  });
}

function* head({ fleet, address, problem, age: old = 0 }: View): Generator<Line> {
  const time = new Date(fleet.at).toISOString().slice(11, 19);
  yield [
    ['bold', 'lifesign-cli fleet'],
    [undefined, `  ${address}  ${time} UTC`],
  ];
  if (problem !== undefined) yield [['red', `stale, ${age(old)} old: ${problem}`]];
  for (const warning of fleet.warnings) yield [['yellow', `Prometheus warns: ${warning}`]];
  if (fleet.services.length === 0) {
    yield [
      [
        undefined,
        'No instances: Prometheus has no series lifesign_build_info. Turn on the metrics option and scrape it.',
      ],
    ];
    return;
  }
  yield [[undefined, `${count(fleet.services.length, 'service')}, ${countsText(fleet.counts)}`]];
}

function linesOf(view: View): readonly Line[] {
  const lines = [...head(view)];
  for (const service of view.fleet.services) lines.push([], ...serviceLines(service, view));
  const more = explainedIds(view.fleet.services);
  if (more.length > 0) lines.push([], ...more.map((id): Line => [['dim', moreAbout(id)]]));
  return lines;
}

/** The ids of lifesign's own messages, the sickest instances first: a failing fleet has the same few everywhere. */
function explainedIds(services: readonly Service[]): readonly string[] {
  const ids = services.flatMap(({ instances }) =>
    instances.flatMap(({ findings }) => findings.flatMap((finding) => finding.ids)),
  );
  return [...new Set(ids.filter(isExplained))].slice(0, maxExplained);
}

function* serviceLines(service: Service, { fleet, maxRows }: View): Generator<Line> {
  const { name, counts, builds, instances } = service;
  const rollout = rolloutOf(service);
  yield [
    ['bold', name === '' ? '(no name)' : name],
    [undefined, `  ${countsText(counts)}`],
    ...(rollout === undefined ? [] : [['yellow', `  ${rollout}`] as const]),
  ];
  for (const build of builds) {
    const since = build.since === undefined ? '' : `  for ${age(fleet.at - build.since)}`;
    yield [['dim', `  ${buildName(build)}  ${count(build.instances, 'instance')}${since}`]];
  }
  const listed = instances.slice(0, maxRows);
  const columns = {
    name: widthIn(
      listed.map(({ name }) => name),
      widest.name,
    ),
    word: widthIn(listed.map(statusWord), 24),
    build: widthIn(
      listed.map(({ build }) => buildName(build)),
      widest.build,
    ),
  };
  for (const instance of listed) yield* instanceLines(instance, columns, fleet.at);
  if (instances.length > listed.length) yield [['dim', `  ${rest(instances.slice(maxRows))}`]];
}

function widthIn(texts: readonly string[], maxWidth: number): number {
  const width = texts.reduce((most, text) => Math.max(most, widthOf(printable(text))), 0);
  return Math.min(maxWidth, width);
}

type Columns = Readonly<Record<'name' | 'word' | 'build', number>>;

function* instanceLines(instance: Instance, columns: Columns, now: number): Generator<Line> {
  const { state, since, build, findings } = instance;
  const said = remark(instance, now);
  yield [
    [styles[state], `  ${marks[state]} ${pad(statusWord(instance), columns.word)}`],
    [
      undefined,
      `  ${pad(printable(instance.name), columns.name)}  ${pad(printable(buildName(build)), columns.build)}`,
    ],
    ['dim', since === undefined || state === 'gone' || state === 'down' ? '' : `  for ${age(now - since)}`],
    [undefined, said === undefined ? '' : `  ${said}`],
  ];
  const indent = ' '.repeat(columns.word + 6);
  for (const finding of findings.slice(0, maxFindings)) {
    const { status, check, ids } = finding;
    const passed = lastPassed(finding, instance, now);
    const text = [`${indent}${status} ${check}`, ...ids].join(' ');
    yield [[undefined, passed === undefined ? text : `${text}, ${passed}`]];
  }
  const more = findings.length - maxFindings;
  if (more > 0) yield [['dim', `${indent}and ${count(more, 'more check')}`]];
}

function rest(instances: readonly Instance[]): string {
  const ok = instances.every(({ state }) => state === 'ok');
  return `and ${instances.length} more${ok ? ', all ok' : ''}: --all lists them`;
}

// East Asian and pictographic characters take two places, marks none.
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const mark = /\p{M}/u;

/** Places that a printable text takes on a terminal. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += mark.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The text, cut to `most` places; a cut text ends with `…`. */
function fit(text: string, maxWidth: number): string {
  if (text.length <= maxWidth && !/[^ -~]/.test(text)) return text;
  if (widthOf(text) <= maxWidth) return text;
  let [kept, width] = ['', 0];
  for (const character of text) {
    const places = widthOf(character);
    if (width + places > maxWidth - 1) break;
    kept += character;
    width += places;
  }
  return maxWidth < 1 ? '' : `${kept}…`;
}

/** The text, padded or cut to exactly this width. */
function pad(text: string, width: number): string {
  const fitted = fit(text, width);
  return fitted + ' '.repeat(Math.max(0, width - widthOf(fitted)));
}

/** For programs. Times are ISO 8601. */
export function json({ at, counts, warnings, services }: Fleet, address: string): string {
  return printableJson({
    prometheus: address,
    time: iso(at),
    warnings,
    counts,
    services: services.map((service) => ({
      ...service,
      builds: service.builds.map((build) => ({ ...build, since: iso(build.since) })),
      instances: service.instances.map((instance) => ({
        ...instance,
        since: iso(instance.since),
        seen: iso(instance.seen),
        findings: instance.findings.map((finding) => ({ ...finding, passed: iso(finding.passed) })),
      })),
    })),
  });
}

function iso(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

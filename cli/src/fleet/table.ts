import { age, count, type Io, isExplained, moreAbout, painter } from '../../../src/tools.js';
import { printable, printableJson, type Style } from '../../../src/tools.js';
import type { Build, Counts, Fleet, Instance, Service, State } from './fleet.js';

const looks: Readonly<Record<State, readonly [mark: string, Style]>> = {
  down: ['✗', 'red'],
  failing: ['✗', 'red'],
  unknown: ['?', 'yellow'],
  draining: ['↓', 'yellow'],
  gone: ['-', 'dim'],
  ok: ['✓', 'green'],
};
/** Messages whose explanation is named, and findings shown of an instance. */
const most = 5;
/** Enough of a commit to recognise it. */
const shortCommit = 12;

/** A line of text before it is coloured: pieces with their style. */
type Line = readonly (readonly [Style | undefined, string])[];

/** The view as lines; `maxRows` instances of each service. */
export function table(fleet: Fleet, address: string, maxRows: number, io: Io): readonly string[] {
  const paint = painter(io, io.stdout);
  const painted = ([style, text]: Line[number]) => (style ? paint(style, printable(text)) : printable(text));
  return linesOf(fleet, address, maxRows).map((line) => line.map(painted).join('').trimEnd());
}

function linesOf(fleet: Fleet, address: string, maxRows: number): readonly Line[] {
  const time = fleet.at.toISOString().slice(11, 19);
  const lines: Line[] = [
    [
      ['bold', 'lifesign-cli fleet'],
      [undefined, `  ${address}  ${time} UTC`],
    ],
    ...fleet.warnings.map((warning): Line => [['yellow', `Prometheus warns: ${warning}`]]),
  ];
  const { services } = fleet;
  const summary =
    services.length === 0
      ? 'No instances: Prometheus has no series lifesign_build_info. Turn on the metrics option and scrape it.'
      : `${count(services.length, 'service')}, ${countsText(fleet.counts)}`;
  lines.push([[undefined, summary]]);
  for (const service of services) lines.push([], ...serviceLines(service, fleet.at, maxRows));
  // The ids of lifesign's own messages: a failing fleet has the same few everywhere.
  const findings = services.flatMap(({ instances }) => instances.flatMap((one) => one.findings));
  const ids = [...new Set(findings.flatMap((finding) => finding.ids).filter(isExplained))].slice(0, most);
  if (ids.length > 0) lines.push([], ...ids.map((id): Line => [['dim', moreAbout(id)]]));
  return lines;
}

function* serviceLines(service: Service, now: Date, maxRows: number): Generator<Line> {
  const { name, counts, builds, instances } = service;
  yield [
    ['bold', name === '' ? '(no name)' : name],
    [undefined, `  ${countsText(counts)}`],
    ['yellow', rolloutOf(service)],
  ];
  for (const build of builds) {
    const since = build.since === undefined ? '' : `  for ${ago(build.since, now)}`;
    yield [['dim', `  ${buildName(build)}  ${count(build.instances, 'instance')}${since}`]];
  }
  const listed = instances.slice(0, maxRows);
  const widthOf = (text: (instance: Instance) => string) =>
    listed.reduce((most, instance) => Math.max(most, printable(text(instance)).length), 0);
  const columns = { name: widthOf(nameOf), word: widthOf(statusWord), build: widthOf(buildOf) };
  for (const instance of listed) yield* instanceLines(instance, columns, now);
  const rest = instances.slice(maxRows);
  const ok = rest.every(({ state }) => state === 'ok') ? ', all ok' : '';
  if (rest.length > 0) yield [['dim', `  and ${rest.length} more${ok}: --all lists them`]];
}

type Columns = Readonly<Record<'name' | 'word' | 'build', number>>;
const nameOf = ({ name }: Instance): string => name;
const buildOf = ({ build }: Instance): string => buildName(build);

function* instanceLines(instance: Instance, columns: Columns, now: Date): Generator<Line> {
  const { state, since, findings } = instance;
  const [mark, style] = looks[state];
  const padded = (text: typeof nameOf, width: number) => printable(text(instance)).padEnd(width);
  const isRunning = state !== 'gone' && state !== 'down';
  yield [
    [style, `  ${mark} ${statusWord(instance).padEnd(columns.word)}`],
    [undefined, `  ${padded(nameOf, columns.name)}  ${padded(buildOf, columns.build)}`],
    ['dim', since === undefined || !isRunning ? '' : `  for ${ago(since, now)}`],
    [undefined, remark(instance, now)],
  ];
  const indent = ' '.repeat(columns.word + 6);
  for (const finding of findings.slice(0, most)) {
    const text = [`${indent}${finding.status} ${finding.check}`, ...finding.ids].join(' ');
    yield [[undefined, text + lastPassed(finding, instance, now)]];
  }
  const more = findings.length - most;
  if (more > 0) yield [['dim', `${indent}and ${count(more, 'more check')}`]];
}

const ago = (time: Date, now: Date): string => age(now.getTime() - time.getTime());

/** `5 instances: 1 down, 2 failing, 2 ok`; zero counts are left out. */
function countsText({ ok, ...others }: Counts): string {
  const parts = Object.entries(others).filter(([, many]) => many > 0);
  const total = parts.reduce((sum, [, many]) => sum + many, ok);
  const named = parts.map(([state, many]) => `${many} ${state}`);
  return `${count(total, 'instance')}: ${parts.length === 0 ? 'all ok' : [...named, `${ok} ok`].join(', ')}`;
}

/** `1.4.2 9f3c21a4b0d1` */
function buildName(build: Build | undefined): string {
  const { version, commit } = build ?? {};
  return [version, commit?.slice(0, shortCommit)].filter(Boolean).join(' ') || 'unknown build';
}

/** `rollout 5 of 8 (62 %) on 1.4.2 9f3c21a4b0d1` */
function rolloutOf({ rollout, builds }: Service): string {
  if (rollout === undefined) return builds.length > 1 ? `  ${builds.length} builds` : '';
  const { done, total } = rollout;
  return `  rollout ${done} of ${total} (${Math.floor((100 * done) / total)} %) on ${buildName(builds[0])}`;
}

/** When a check that fails its instance last passed. */
function lastPassed(
  { status, passed }: Instance['findings'][number],
  { state }: Instance,
  now: Date,
): string {
  if (state !== 'failing' || status === 'debug' || status === 'info') return '';
  return passed === undefined ? ', never passed' : `, last passed ${ago(passed, now)} ago`;
}

/** The state of an instance in one word. */
function statusWord({ state, status, draining }: Instance): string {
  const word = state === 'failing' || state === 'ok' ? (status ?? state) : state;
  return draining && state === 'failing' ? `${word}, draining` : word;
}

/** More about it in a sentence. */
function remark({ state, seen, build }: Instance, now: Date): string {
  const last = seen === undefined ? '' : `, last seen ${ago(seen, now)} ago`;
  if (state === 'gone') return `  no longer scraped${last}`;
  if (state === 'down') return `  cannot be scraped${last || (build === undefined ? ', never seen' : '')}`;
  return state === 'unknown' ? '  no heartbeat yet' : '';
}

/** For programs: Dates become ISO 8601. */
export const json = ({ at, ...fleet }: Fleet, address: string): string =>
  printableJson({ prometheus: address, time: at, ...fleet });

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

type Paint = (style: Style, text: string) => string;

/** The view as lines; `maxRows` instances of each service. */
export function table(fleet: Fleet, address: string, maxRows: number, io: Io): readonly string[] {
  const { at, services, warnings } = fleet;
  const paintAny = painter(io, io.stdout);
  const paint: Paint = (style, text) => paintAny(style, printable(text));
  const time = at.toISOString().slice(11, 19);
  const summary =
    services.length === 0
      ? 'No instances: Prometheus has no series lifesign_build_info. Turn on the metrics option and scrape it.'
      : `${count(services.length, 'service')}, ${countsText(fleet.counts)}`;
  // The ids of lifesign's own messages: a failing fleet has the same few everywhere.
  const findings = services.flatMap(({ instances }) => instances.flatMap((one) => one.findings));
  const ids = [...new Set(findings.flatMap((finding) => finding.ids).filter(isExplained))].slice(0, most);
  const lines = [
    `${paint('bold', 'lifesign-cli fleet')}  ${printable(address)}  ${time} UTC`,
    ...warnings.map((warning) => paint('yellow', `Prometheus warns: ${warning}`)),
    summary,
    ...services.flatMap((service) => ['', ...serviceLines(service, at, maxRows, paint)]),
    ...(ids.length > 0 ? ['', ...ids.map((id) => paint('dim', moreAbout(id)))] : []),
  ];
  return lines.map((line) => line.trimEnd());
}

function serviceLines(service: Service, now: Date, maxRows: number, paint: Paint): readonly string[] {
  const { name, counts, builds, instances } = service;
  const listed = instances.slice(0, maxRows).map((instance) => ({
    instance,
    word: statusWord(instance),
    name: printable(instance.name),
    build: printable(buildName(instance.build)),
  }));
  const [word = 0, wide = 0, build = 0] = (['word', 'name', 'build'] as const).map((column) =>
    listed.reduce((width, row) => Math.max(width, row[column].length), 0),
  );
  const rows = listed.flatMap(({ instance, ...row }) => {
    const { state, since, findings } = instance;
    const [mark, style] = looks[state];
    const isRunning = since !== undefined && state !== 'gone' && state !== 'down';
    const indent = ' '.repeat(word + 6);
    const left = findings.length - most;
    return [
      `${paint(style, `  ${mark} ${row.word.padEnd(word)}`)}  ${row.name.padEnd(wide)}  ${row.build.padEnd(build)}` +
        (isRunning ? paint('dim', `  for ${ago(since, now)}`) : '') +
        remark(instance, now),
      ...findings
        .slice(0, most)
        .map(({ status, check, ids }) => printable([`${indent}${status} ${check}`, ...ids].join(' '))),
      ...(left > 0 ? [paint('dim', `${indent}and ${count(left, 'more check')}`)] : []),
    ];
  });
  const rest = instances.slice(maxRows);
  const ok = rest.every(({ state }) => state === 'ok') ? ', all ok' : '';
  return [
    `${paint('bold', name || '(no name)')}  ${countsText(counts)}${paint('yellow', rolloutOf(service))}`,
    ...builds.map(({ since, instances: many, ...one }) => {
      const age = since === undefined ? '' : `  for ${ago(since, now)}`;
      return paint('dim', `  ${buildName(one)}  ${count(many, 'instance')}${age}`);
    }),
    ...rows,
    ...(rest.length > 0 ? [paint('dim', `  and ${rest.length} more${ok}: --all lists them`)] : []),
  ];
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

/** The state of an instance. */
function statusWord({ state, status, draining }: Instance): string {
  const word = state === 'failing' || state === 'ok' ? (status ?? state) : state;
  return draining && state === 'failing' ? `${word}, draining` : word;
}

/** More about it. */
function remark({ state, seen, build }: Instance, now: Date): string {
  const last = seen === undefined ? '' : `, last seen ${ago(seen, now)} ago`;
  if (state === 'gone') return `  no longer scraped${last}`;
  if (state === 'down') return `  cannot be scraped${last || (build === undefined ? ', never seen' : '')}`;
  return state === 'unknown' ? '  no heartbeat yet' : '';
}

/** For programs: Dates become ISO 8601. */
export const json = ({ at, ...fleet }: Fleet, address: string): string =>
  printableJson({ prometheus: address, time: at, ...fleet });

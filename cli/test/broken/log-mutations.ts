type Line = Record<string, unknown> & { Fields: Record<string, unknown> };

/** A change of the right log of the requests that verify sends. */
export interface LogMutation {
  readonly name: string;
  readonly finds: readonly string[];
  readonly spoil: (lines: string[]) => string[];
}

/** Changes every line, or one in the middle. */
const each =
  (change: (line: Line, index: number) => void) =>
  (lines: string[]): string[] =>
    lines.map((text, index) => {
      const line: Line = JSON.parse(text);
      change(line, index);
      return JSON.stringify(line);
    });
const one = (change: (line: Line, index: number) => void) =>
  each((line, index) => {
    if (index === 7) change(line, index);
  });

const both = (name: string, finds: readonly string[], change: (line: Line) => void): LogMutation[] => [
  { name: `${name}, in every line`, finds, spoil: each(change) },
  { name: `${name}, in one line`, finds, spoil: one(change) },
];

const envelope = ['Timestamp', 'Logger', 'Hostname', 'EnvVersion', 'Severity', 'Pid', 'Fields'];
const fields = ['errno', 'agent', 'lang', 'method', 'path', 'code', 'uid', 'rid', 't'];
const odd = { x: [] };
const form = ['logs.envelope', 'logs.summary'];

/** All of them. */
export const logMutations: readonly LogMutation[] = [
  ...envelope.flatMap((name) => [
    ...both(`no ${name}`, form, (line) => Reflect.deleteProperty(line, name)),
    ...both(`${name} is an object of lists`, form, (line) => Reflect.set(line, name, odd)),
  ]),
  ...fields.flatMap((name) => [
    ...both(`no ${name}`, form, (line) => Reflect.deleteProperty(line.Fields, name)),
    ...both(`${name} is an object`, form, (line) => Reflect.set(line.Fields, name, odd)),
    ...both(`${name} is null`, form, (line) => Reflect.set(line.Fields, name, null)),
  ]),
  ...both('a field at the top', form, (line) => (line['path'] = '/')),
  ...both('code as text', form, ({ Fields }) => (Fields['code'] = String(Fields['code']))),
  ...[1e9, 1e6, 1e3].flatMap((unit) =>
    both(`Timestamp divided by ${unit}`, ['logs.timestamp'], (line) => {
      line['Timestamp'] = Math.round(Number(line['Timestamp']) / unit);
    }),
  ),
  { name: 'one Timestamp', finds: ['logs.timestamp'], spoil: each((line) => (line['Timestamp'] = 1.79e18)) },
  ...Object.entries({
    'the day before': -86_400,
    'next week': 604_800,
    'the next hour': 3600,
    earlier: -30,
  }).map(([when, seconds]) => ({
    name: `a Timestamp of ${when}`,
    finds: ['logs.timestamp'],
    spoil: one((line) => (line['Timestamp'] = Number(line['Timestamp']) + seconds * 1e9)),
  })),
  ...both(
    'a secret in querystring',
    ['logs.secrets'],
    ({ Fields }) => (Fields['querystring'] = 'user=a&password=hunter2&next=/'),
  ),
  ...[1, 404, 500, 999].flatMap((errno) =>
    both(`errno ${errno}`, ['logs.errno'], ({ Fields }) => (Fields['errno'] = errno)),
  ),
  ...both('500 with errno 0', ['logs.errno'], ({ Fields }) => (Fields['code'] = 500)),
  ...[3, 4].flatMap((severity) =>
    both(`Severity ${severity} for a success`, ['logs.severity'], (line) => (line['Severity'] = severity)),
  ),
  ...both('Severity 6 for a failure', ['logs.severity'], (line) => {
    Object.assign(line.Fields, { path: '/orders', code: 502, errno: 502 });
  }),
  ...both(
    'a query in path',
    ['logs.path'],
    ({ Fields }) => (Fields['path'] = `${String(Fields['path'])}?a=1`),
  ),
  ...both(
    'a URL in path',
    ['logs.path'],
    ({ Fields }) => (Fields['path'] = `http://h${String(Fields['path'])}`),
  ),
  { name: 'one rid', finds: ['logs.rid'], spoil: each(({ Fields }) => (Fields['rid'] = 'r')) },
  ...both('another rid', ['logs.facts'], ({ Fields }) => (Fields['rid'] = `${String(Fields['rid'])}0`)),
  {
    name: 'the rid of the request before',
    finds: ['logs.facts', 'logs.requests'],
    spoil: (lines) => {
      const rids = lines.map((text) => (JSON.parse(text) as Line).Fields['rid']);
      return each(({ Fields }, index) => (Fields['rid'] = rids[Math.max(0, index - 1)]))(lines);
    },
  },
  ...both('another method', ['logs.facts'], ({ Fields }) => (Fields['method'] = 'LINK')),
  ...both('another path', ['logs.facts'], ({ Fields }) => (Fields['path'] = '/other')),
  ...both('another code', ['logs.facts'], ({ Fields }) => (Fields['code'] = 299)),
  { name: 'no line', finds: ['logs.found'], spoil: () => [] },
  ...[0, 9, 30].map((at) => ({
    name: `line ${at} is missing`,
    finds: ['logs.requests'],
    spoil: (lines: string[]) => lines.toSpliced(at, 1),
  })),
  { name: 'every line twice', finds: ['logs.once'], spoil: (lines) => lines.flatMap((line) => [line, line]) },
  { name: 'one line twice', finds: ['logs.once'], spoil: (lines) => [...lines, lines[3] ?? ''] },
  {
    name: 'one request has two lines',
    finds: ['logs.requests'],
    spoil: (lines) => [...lines, ...each((line) => (line['Pid'] = 1))(lines.slice(3, 4))],
  },
  {
    name: 'half a line',
    finds: ['logs.json'],
    spoil: (lines) => lines.with(5, (lines[5] ?? '').slice(0, 90)),
  },
  {
    name: 'two lines in one',
    finds: ['logs.json'],
    spoil: (lines) => [lines.slice(0, 2).join(''), ...lines],
  },
];

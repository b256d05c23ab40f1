import { moments, type Mutation, onGet } from './mutation.js';
import { leaks } from './leaks.js';

const words = ['debug', 'info', 'warning', 'error', 'critical'] as const;
const levelOf = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 };
type Word = (typeof words)[number];

const detail = (word: Word, messages: unknown = { 'a.E1': 'down' }) => ({
  status: word,
  level: levelOf[word],
  messages,
});
const report = (word: Word) => ({
  status: word,
  checks: { db: word, cache: 'ok' },
  details: { db: detail(word) },
});
const codeOf = (word: Word) => (levelOf[word] >= 30 ? 500 : 200);

/** A heartbeat with another report, all the time or only the last of three. */
const heartbeat = (name: string, finds: readonly string[], status: number, body: unknown): Mutation[] =>
  (['always', 'the last time'] as const).map((moment) => ({
    name: `heartbeat: ${name}, ${moment}`,
    finds: finds.map((rule) => `heartbeat.${rule}`),
    spoil: onGet(
      'heartbeat',
      (answer) => Object.assign(answer, { status, body: JSON.stringify(body) }),
      moments[moment],
    ),
  }));

/** The same of a failed check with another detail. */
const detailed = (name: string, finds: readonly string[], db: unknown): Mutation[] =>
  heartbeat(name, finds, 500, { ...report('error'), details: { db } });

const oddValues: readonly unknown[] = [null, 1, true, ['x'], 'healthy'];
const shown = (value: unknown) => JSON.stringify(value);

const fieldMutations: readonly Mutation[] = [
  ...oddValues.flatMap((odd) => [
    ...heartbeat(`status ${shown(odd)}`, ['shape', 'words'], 200, { status: odd, checks: {}, details: {} }),
    ...heartbeat(`checks ${shown(odd)}`, ['shape'], 200, { status: 'ok', checks: odd, details: {} }),
    ...heartbeat(`details ${shown(odd)}`, ['shape'], 200, { status: 'ok', checks: {}, details: odd }),
    ...heartbeat(`a check ${shown(odd)}`, ['shape', 'words', 'details'], 200, {
      status: 'ok',
      checks: { db: odd },
      details: {},
    }),
    ...detailed(`a detail ${shown(odd)}`, ['shape'], odd),
    ...['status', 'level', 'messages'].flatMap((field) =>
      field === 'level' && odd === 1
        ? []
        : detailed(`${field} of a detail ${shown(odd)}`, ['shape', 'words', 'details'], {
            ...detail('error'),
            [field]: odd,
          }),
    ),
    ...(odd === 'healthy'
      ? []
      : detailed(`a message ${shown(odd)}`, ['shape'], detail('error', { 'a.E1': odd }))),
  ]),
  ...['status', 'checks', 'details'].flatMap((field) =>
    heartbeat(`no ${field}`, ['shape'], 500, { ...report('error'), [field]: undefined }),
  ),
  ...['status', 'level', 'messages'].flatMap((field) =>
    detailed(`a detail without ${field}`, ['shape'], { ...detail('error'), [field]: undefined }),
  ),
  ...detailed('a level of one half', ['shape'], { ...detail('error'), level: 40.5 }),
  ...detailed('no messages', ['messages'], detail('error', {})),
  ...detailed('an empty id', ['messages'], detail('error', { '': 'x' })),
  ...detailed('an empty text', ['messages'], detail('error', { 'a.E1': '' })),
  ...detailed(
    'a body larger than a kubelet reads',
    ['size'],
    detail('error', { 'a.E1': 'x'.repeat(11_000) }),
  ),
];

/** What contradicts itself, for every word. */
const contradictions: readonly Mutation[] = words.flatMap((word) => {
  const good = report(word);
  const code = codeOf(word);
  const others = words.filter((other) => other !== word);
  return [
    ...heartbeat(`${word} with ${700 - code}`, ['code', 'other-levels'], 700 - code, good),
    ...heartbeat(`${word} without details`, ['details'], code, { ...good, details: {} }),
    ...heartbeat(`${word} and details of an ok check`, ['details'], code, {
      ...good,
      details: { ...good.details, cache: detail(word) },
    }),
    ...heartbeat(`${word} and details of no check`, ['details'], code, {
      ...good,
      details: { ...good.details, ghost: detail(word) },
    }),
    ...heartbeat(`${word} that is ok as a whole`, ['overall', 'code'], code, { ...good, status: 'ok' }),
    ...others.flatMap((other) => [
      ...heartbeat(`${word} with the level of ${other}`, ['levels'], code, {
        ...good,
        details: { db: { ...detail(word), level: levelOf[other] } },
      }),
      ...heartbeat(`${word} with details of ${other}`, ['details'], code, {
        ...good,
        details: { db: detail(other) },
      }),
      ...heartbeat(`${word} that is ${other} as a whole`, ['overall'], code, { ...good, status: other }),
    ]),
  ];
});

const versionMutations: readonly Mutation[] = ['commit', 'version', 'source', 'build'].flatMap((field) =>
  [null, 1, true, [], {}].map((odd) => ({
    name: `version: ${field} ${shown(odd)}`,
    finds: ['version.fields'],
    spoil: onGet('version', (answer) => {
      answer.body = JSON.stringify({ ...JSON.parse(String(answer.body)), [field]: odd });
    }),
  })),
);

const leakKind = (name: string) => (/^a (stack|frame) /.test(name) ? 'traces' : 'secrets');

const leakMutations: readonly Mutation[] = leaks.flatMap(([name, text]) => [
  ...heartbeat(name, [leakKind(name)], 500, {
    ...report('error'),
    details: { db: detail('error', { 'a.E1': text }) },
  }),
  {
    name: `version: ${name}`,
    finds: [`version.${leakKind(name)}`],
    spoil: onGet('version', (answer) => (answer.body = JSON.stringify({ commit: 'abc', note: text }))),
  },
]);

const failing = { status: 500, body: JSON.stringify(report('error')) };
const lbMutations: readonly Mutation[] = [
  {
    name: 'version: two builds in turn',
    finds: ['version.stable'],
    spoil: onGet('version', (answer, { nth }) => {
      if (nth === 2) answer.body = '{"commit":"def"}';
    }),
  },
  {
    name: 'lbheartbeat: lists the checks',
    finds: ['lbheartbeat.independent'],
    spoil: onGet('lbheartbeat', (answer) => (answer.body = '{"status":"ok","checks":{"db":"ok"}}')),
  },
  {
    name: 'lbheartbeat: fails with the checks',
    finds: ['lbheartbeat.independent'],
    spoil: (answer, asked) => {
      onGet('heartbeat', (wire) => Object.assign(wire, failing))(answer, asked);
      onGet('lbheartbeat', (wire) => (wire.status = 500))(answer, asked);
    },
  },
  {
    name: 'lbheartbeat: takes as long as the checks',
    finds: ['lbheartbeat.independent'],
    spoil: (answer, { kind, path }) => {
      if (kind === 'plain' && /^\/__(?:lb)?heartbeat__$/.test(path)) answer.delay = 300;
    },
  },
];

/** Mutations of what the bodies say. */
export const reportMutations: readonly Mutation[] = [
  ...fieldMutations,
  ...contradictions,
  ...versionMutations,
  ...leakMutations,
  ...lbMutations,
];

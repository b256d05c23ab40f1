import { type Opened, planted, type SetUp, type Stage } from './stage.js';

/** What a set-up said of each fault, in the order of the columns. */
export const faults = [
  'down at start',
  'dies',
  'restarted',
  'frozen',
  'password changed',
  'limit reached',
  'pool exhausted',
  'read-only',
  'slow',
] as const;

export type Fault = (typeof faults)[number];

const unreached = ['health.I001'];

/** The messages that are right, for each kind. None: all is well. */
export const right: Readonly<Record<SetUp['kind'], Readonly<Record<Fault, readonly string[]>>>> = {
  database: {
    'down at start': ['health.E001'],
    dies: ['health.E001'],
    frozen: ['health.E012', 'health.E013', 'health.E001', 'health.E002'],
    restarted: [],
    'password changed': ['health.E003'],
    'limit reached': ['health.E001'],
    'pool exhausted': ['health.E022', 'health.E012'],
    'read-only': [],
    slow: [],
  },
  migrations: {
    'down at start': unreached,
    dies: unreached,
    frozen: ['health.E012', 'health.E013', ...unreached],
    restarted: [],
    'password changed': unreached,
    'limit reached': unreached,
    'pool exhausted': ['health.E012', 'health.E013', ...unreached],
    'read-only': [],
    slow: [],
  },
  redis: {
    'down at start': ['health.E004', 'health.E005', 'health.E012', 'health.E013'],
    dies: ['health.E004', 'health.E012', 'health.E013'],
    frozen: ['health.E007', 'health.E012', 'health.E013'],
    restarted: [],
    'password changed': ['health.E006', 'health.E012', 'health.E013'],
    // Over TLS the server only closes the connection.
    'limit reached': ['health.E004', 'health.E007', 'health.E010', 'health.E012', 'health.E013'],
    'pool exhausted': [],
    'read-only': [],
    slow: [],
  },
  cluster: {
    'down at start': ['health.E004', 'health.E005', 'health.E023'],
    dies: ['health.E023'],
    frozen: ['health.E023', 'health.E012', 'health.E013'],
    restarted: [],
    'password changed': ['health.E006'],
    'limit reached': ['health.E004'],
    'pool exhausted': [],
    'read-only': [],
    slow: [],
  },
};

const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** Beats until a heartbeat says what is right; what the last one said, if none does. */
export async function said(
  { ids }: Pick<Opened, 'ids'>,
  expected: readonly string[],
  seconds = 40,
): Promise<string> {
  const deadline = Date.now() + seconds * 1000;
  let last: readonly string[];
  do {
    last = await ids();
    if (
      expected.length === 0 ? last.length === 0 : last.length > 0 && last.every((id) => expected.includes(id))
    )
      break;
    await wait(100);
  } while (Date.now() < deadline);
  return last.length === 0 ? 'ok' : [...new Set(last)].join(', ').replaceAll('health.', '');
}

/** A server that stands still for most of the time, and answers in between. */
function slowed(stage: Stage): () => void {
  const on = { is: true };
  const toggle = async () => {
    while (on.is) {
      stage.freeze();
      await wait(300);
      stage.thaw();
      await wait(100);
    }
  };
  const over = toggle();
  return () => {
    on.is = false;
    void over.finally(() => stage.thaw());
  };
}

/** Brings a fault about, and says what was said. */
export async function bring(fault: Fault, set: SetUp, stage: Stage, opened: Opened): Promise<string> {
  const expected = right[set.kind][fault];
  const see = () => said(opened, expected);
  if (fault === 'dies') {
    await stage.kill();
    return see();
  }
  if (fault === 'restarted') {
    await stage.restart();
    return see();
  }
  if (fault === 'frozen') {
    stage.freeze();
    try {
      return await see();
    } finally {
      stage.thaw();
    }
  }
  if (fault === 'password changed') {
    await stage.changePassword('an0ther-S3cret');
    try {
      return await see();
    } finally {
      await stage.changePassword(planted.password);
    }
  }
  if (fault === 'limit reached') {
    const release = await stage.fill();
    try {
      return await see();
    } finally {
      await release();
    }
  }
  if (fault === 'pool exhausted') {
    if (opened.exhaust === undefined) return '';
    const held = opened.exhaust();
    await wait(200);
    const found = await see();
    await held;
    return found;
  }
  if (fault === 'read-only') {
    await stage.setReadOnly(true);
    try {
      return await see();
    } finally {
      await stage.setReadOnly(false);
    }
  }
  const hurry = slowed(stage);
  try {
    let found = 'ok';
    for (let beat = 0; beat < 10 && found === 'ok'; beat += 1) found = await said(opened, expected, 0);
    return found;
  } finally {
    hurry();
    await wait(500);
  }
}

import { environment, host } from '../../core/runtime.js';

/** How long to keep answering, and why, if no option set it. */
export interface DrainDelay {
  readonly ms: number;
  readonly why: string;
  /** Whether it ends with the process that started this one. */
  readonly endsWithParent: boolean;
}

/** Longer than most load balancers need to notice. */
const usual = 5000;
const developing: ReadonlySet<string> = new Set([
  'dev',
  'develop',
  'development',
  'local',
  'test',
  'testing',
]);
const production: ReadonlySet<string> = new Set(['prod', 'production']);

/** Loaded when the process drains: this module of Node takes longer to load than the drain. */
const isTerminal = (stream: number): boolean => host.getBuiltinModule?.('node:tty').isatty(stream) === true;

/**
 * The delay of every framework. A delay that was asked for is kept. Otherwise the process waits for load balancers, also
 * if `NODE_ENV` is not set, as in many containers; not in development, in tests, or on a terminal.
 */
export function drainDelayOf(asked: number | undefined, reason: string): DrainDelay {
  if (asked !== undefined) return { ms: asked, why: '', endsWithParent: false };
  const { NODE_ENV: given = '' } = environment();
  const mode = given.trim().toLowerCase();
  if (developing.has(mode)) return none(`NODE_ENV is ${mode}`);
  if (mode === '' && (isTerminal(0) || isTerminal(1)))
    return none('NODE_ENV is not set and this is a terminal');
  // Sent by Ctrl-C.
  if (reason === 'SIGINT' && isTerminal(0)) return none('SIGINT at a terminal');
  return { ms: usual, why: '', endsWithParent: !production.has(mode) };
}

function none(why: string): DrainDelay {
  return { ms: 0, why, endsWithParent: false };
}

/** Read early: the parent may get the signal too, and end before this process looks. */
const startedBy = process.ppid;
/** How often the process that started this one is looked for, in milliseconds. */
const period = 50;

/**
 * Waits until the delay ends, `hurry` is fulfilled, or the parent process has ended: `nest start --watch` kills
 * the shell that it started and takes that for the end of the application, whose successor wants the port.
 */
export function waitOut(
  { ms, endsWithParent }: DrainDelay,
  hurry: Promise<void>,
): Promise<'over' | 'orphaned'> {
  return new Promise((resolve) => {
    const end = (how: 'over' | 'orphaned') => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve(how);
    };
    const timer = setTimeout(end, ms, 'over');
    const looking = endsWithParent
      ? setInterval(() => process.ppid !== startedBy && end('orphaned'), period)
      : undefined;
    void hurry.then(() => end('over'));
  });
}

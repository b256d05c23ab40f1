import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const ways = new URL('ways.mjs', import.meta.url).href;

/** How an instance is wired: which of its paths say that it may get traffic, and that it must be restarted. */
export interface Wiring {
  readonly name: string;
  readonly ready: string;
  readonly live: string;
  /** Which says that it has started: before that it is not asked whether it must be restarted. */
  readonly started?: string;
  /** Whether liveness is asked on the port of a watchdog. */
  readonly watched?: boolean;
  /** Whether readiness is asked there, too. */
  readonly apart?: boolean;
  /** What a monitoring system asks. */
  readonly monitor?: string;
  /** Takes what the instances print. */
  readonly output?: (text: string) => void;
  /** Arguments of node: a script and what it takes. */
  readonly args: readonly string[];
}

/** One instance, whichever process of it runs at the moment. */
export class Instance {
  readonly port: number;
  readonly #livePort: number;
  /** How often the kubelet has restarted it. */
  restarts = 0;
  /** Whether it is being replaced. */
  leaving = false;
  readonly #wiring: Wiring;
  readonly #env: Readonly<Record<string, string>>;
  /** Variables of the release that runs, which a restart keeps. */
  #release: Readonly<Record<string, string>> = {};
  #child: ChildProcess | undefined;
  #misses = 0;
  #started = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(wiring: Wiring, port: number, watchdogPort: number, env: Readonly<Record<string, string>>) {
    this.port = port;
    this.#livePort = wiring.watched === true ? watchdogPort : port;
    this.#wiring = wiring;
    this.#env = { ...env, WATCHDOG_PORT: String(watchdogPort) };
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Its line of HAProxy. */
  get address(): string {
    return `127.0.0.1:${this.port}${this.#wiring.apart === true ? ` port ${this.#livePort}` : ''}`;
  }

  /** What a monitoring system asks. */
  get monitor(): string | undefined {
    const { apart, monitor } = this.#wiring;
    return monitor && `http://127.0.0.1:${apart === true ? this.#livePort : this.port}${monitor}`;
  }

  /** The process that runs at the moment. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    this.#started = false;
    const { args, output } = this.#wiring;
    const child = spawn(process.execPath, ['--import', ways, ...args], {
      stdio: ['ignore', output === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
      env: {
        ...process.env,
        ...this.#env,
        ...this.#release,
        PORT: String(this.port),
        NODE_ENV: 'production',
      },
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => output?.(text));
    this.#child = child;
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${this.#wiring.name} did not start`))),
    ]);
  }

  /** Plays the kubelet: asks twice a second, and restarts the process after three misses in a row. */
  supervise(): void {
    this.#timer = setTimeout(() => void this.#probe(), 500);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    // The time that a platform gives to whoever leaves.
    const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await once(child, 'exit');
    clearTimeout(late);
  }

  /** Tells the process to end, as a deployment does, and starts another one. */
  async replace(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#forget();
    this.leaving = true;
    await this.kill('SIGTERM');
    this.#release = env;
    await this.start();
    this.leaving = false;
    this.supervise();
  }

  async stop(): Promise<void> {
    this.#forget();
    await this.kill();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#misses = 0;
  }

  async #probe(): Promise<void> {
    const timer = this.#timer;
    const { started, live } = this.#wiring;
    this.#started ||= started === undefined || (await answers(`${this.origin}${started}`, 1000));
    const passed = !this.#started || (await answers(`http://127.0.0.1:${this.#livePort}${live}`, 2000));
    // Somebody has replaced or stopped it meanwhile.
    if (timer !== this.#timer) return;
    this.#misses = passed ? 0 : this.#misses + 1;
    if (this.#misses >= 3) {
      this.#misses = 0;
      this.restarts += 1;
      await this.kill();
      await this.start().catch(() => {});
    }
    if (timer === this.#timer) this.supervise();
  }
}

/** Whether an address answers well within a time. */
export async function answers(url: string, timeout: number): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

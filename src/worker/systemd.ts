import { execFile, type ExecFileException } from 'node:child_process';
import type { HealthCore } from '../core/health.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { levels } from '../core/heartbeat/messages.js';
import { notifyFailed } from './errors.js';
import { environment } from '../core/runtime.js';
import { describe } from '../core/scrub/scrub.js';
import { startPulse } from './pulse.js';

/** How long the command may take, in milliseconds. */
const commandTimeout = 5000;

/**
 * Notifies a service manager over `NOTIFY_SOCKET`: READY=1 once `served` is fulfilled and the application has started, WATCHDOG=1 twice
 * within `WATCHDOG_USEC` while the worker is healthy, STOPPING=1 when it drains. Nothing without a service manager.
 */
export function notifyManager<Request, FrameworkRequest>(
  health: HealthCore<Request, FrameworkRequest>,
  served: Promise<unknown>,
): void {
  const { NOTIFY_SOCKET: socket = '' } = environment();
  if (socket === '') return;
  let said = false;
  const log = (reason: string, write: string) => {
    if (said) return;
    said = true;
    const { code, message } = notifyFailed(reason, write);
    health.log({ logger: 'health', level: levels.error, time: Date.now(), fields: { code }, msg: message });
  };
  if (!/^[/@]./.test(socket)) {
    return log('it is neither a path nor @ followed by a name', 'Let the service manager set it.');
  }
  const notify = (state: string) => tell(socket, state, log);

  void whenStarted(health, served).then(
    () => notify('READY=1'),
    // The error is in the log; a service that is not ready is ended by its manager.
    () => {},
  );
  health.addFeature({ onLeave: () => notify('STOPPING=1') });
  const interval = watchdogInterval();
  if (interval === undefined) return;
  startPulse(health, interval, (well) => {
    if (well) notify('WATCHDOG=1');
  });
}

/** With the probes, as `startWhen` says; else once the endpoints are served. */
async function whenStarted<Request, FrameworkRequest>(
  health: HealthCore<Request, FrameworkRequest>,
  served: Promise<unknown>,
): Promise<void> {
  const startWhen = health.options.probes?.startWhen;
  const said = new Promise<void>((resolve) => {
    const onHeartbeat = ({ failed }: Heartbeat) => failed || resolve();
    health.addFeature({ onStarted: resolve, ...(startWhen === 'checks' && { onHeartbeat }) });
  });
  const stop = startWhen === 'checks' ? startPulse(health, 1000, () => {}) : undefined;
  try {
    await served;
    if (startWhen === 'called' || startWhen === 'checks') await said;
  } finally {
    stop?.();
  }
}

/** Half of the time within which the service manager expects a notification, in milliseconds. */
function watchdogInterval(): number | undefined {
  const { WATCHDOG_USEC: given = '', WATCHDOG_PID: pid = '' } = environment();
  // Meant for the process that the service manager has started, and not for its children.
  if (pid !== '' && Number(pid) !== process.pid) return undefined;
  const microseconds = /^\d{1,15}$/.test(given) ? Number(given) : 0;
  // A timer takes no more.
  return microseconds === 0 ? undefined : Math.min(Math.max(1, Math.floor(microseconds / 2000)), 2 ** 31 - 1);
}

/** Node has no datagram sockets of unix: the command that comes with systemd has. */
function tell(socket: string, state: string, log: (reason: string, write: string) => void): void {
  const { PATH = '' } = environment();
  const options = { timeout: commandTimeout, env: { PATH, NOTIFY_SOCKET: socket } };
  const ended = (error: ExecFileException | null, _out: string, stderr: string) => {
    if (error === null) return;
    if (error.code === 'ENOENT')
      log(
        'the systemd-notify command was not found',
        'Install systemd, or set Type=exec and remove WatchdogSec from the unit.',
      );
    else
      log(stderr.trim().split('\n', 1).join() || error.message, 'See docs/workers.md for an example unit.');
  };
  try {
    execFile('systemd-notify', [state], options, ended).unref();
  } catch (thrown) {
    // There is no memory for a process, for example.
    log(describe(thrown), 'The next message is sent all the same.');
  }
}

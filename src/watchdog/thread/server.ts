import type { Server } from 'node:http';
import {
  type Answer,
  answerBusy,
  answerDraining,
  answerMethod,
  answerNotFound,
  answerProbeFailed,
  answerProbePassed,
  answerStuck,
  answerUp,
  isAt,
  withoutBody,
} from '../../core/endpoints.js';
import { boundedServer } from '../../http/health-port.js';
import { isObject } from '../../core/objects.js';
import { cells, type ThreadData, type ThreadMessage } from '../cells.js';

/**
 * Milliseconds until a port that is taken is tried again, four times as many after each try: a watchdog that was just closed frees it in a
 * moment, a process that drains takes longer.
 */
const firstDelay = 20;
const maxDelay = 5000;
/** Tries before the log says that the port is taken. */
const quietTries = 3;

export interface LoopState {
  readonly refusing: boolean;
  readonly wedged: boolean;
  readonly blockedFor: number;
  readonly busy: boolean;
  readonly stuck: boolean;
}

/** Answers `/__lbheartbeat__` and the probe `/livez` on its own port. Sends the port, or once that it cannot be opened. */
export function serveLoop(
  { cells: memory, host, port, live, up }: ThreadData,
  state: () => LoopState,
  send: (message: ThreadMessage) => void,
): void {
  let refusals = 0;
  const server: Server = boundedServer((req, res) => {
    const { method = '', url = '' } = req;
    const isLive = live.some((path) => isAt(url, path));
    if (isLive) Atomics.store(memory, cells.probed, 1);
    const isOurs = isLive || up.some((path) => isAt(url, path));
    const { status, headers, body } = isOurs ? answerRequest(method, state(), isLive) : answerNotFound;
    res.writeHead(status, headers).end(body);
  });
  server.on('listening', () => {
    const address = server.address();
    send({ kind: 'listening', port: isObject(address) ? address.port : port });
  });
  server.on('error', (error: Error & { readonly code?: string }) => {
    if (server.listening) return;
    if (refusals === quietTries) send({ kind: 'refused', reason: error.code ?? error.message });
    setTimeout(() => server.listen(port, host), Math.min(firstDelay * 4 ** refusals, maxDelay));
    refusals += 1;
  });
  server.listen(port, host);
}

/** The answer of the watchdog's port: the contract's for one endpoint, and a probe's. */
function answerRequest(method: string, state: LoopState, isLive: boolean): Answer {
  const answer = answerMethod(method) ?? (isLive ? answerLive(state) : answerLoop(state));
  return method === 'HEAD' ? withoutBody(answer) : answer;
}

/** Busy or draining is not a reason to restart. */
function answerLive({ stuck, wedged, blockedFor }: LoopState): Answer {
  if (stuck) return answerProbeFailed(`the event loop has been blocked for ${blockedFor} ms`);
  return wedged ? answerProbeFailed('a restart would help') : answerProbePassed;
}

function answerLoop({ refusing, blockedFor, busy, stuck }: LoopState): Answer {
  if (refusing) return answerDraining;
  if (stuck) return answerStuck(blockedFor);
  return busy ? answerBusy(blockedFor) : answerUp;
}

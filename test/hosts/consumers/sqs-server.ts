import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { freePort } from '../../services/port.js';

/** A server of the JSON protocol of SQS, with one queue: what a consumer needs of it. */
export async function startSqs(): Promise<Sqs> {
  const waiting: Readonly<Record<string, string>>[] = [];
  const polls = new Set<ServerResponse>();
  let frozen = false;
  let refusal: string | undefined;
  const answer = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  const deliver = () => {
    const [poll] = polls;
    if (poll === undefined || waiting.length === 0) return;
    polls.delete(poll);
    answer(poll, 200, { Messages: waiting.splice(0, 1) });
  };
  const server = createServer((request, response) => {
    request.resume();
    if (frozen) return;
    if (refusal !== undefined)
      return answer(response, 403, { __type: refusal, message: 'for user planted_user' });
    if (!String(request.headers['x-amz-target']).endsWith('.ReceiveMessage'))
      return answer(response, 200, {});
    polls.add(response);
    response.on('close', () => polls.delete(response));
    setTimeout(() => polls.delete(response) && answer(response, 200, {}), 200);
    return deliver();
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    send(Body) {
      // The client compares it.
      const MD5OfBody = createHash('md5').update(Body).digest('hex');
      waiting.push({ MessageId: randomUUID(), ReceiptHandle: randomUUID(), Body, MD5OfBody });
      deliver();
    },
    freeze: (isFrozen) => {
      frozen = isFrozen;
      if (!frozen) server.closeAllConnections();
    },
    refuse: (type) => {
      refusal = type;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    async start() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}

export interface Sqs {
  readonly endpoint: string;
  send(body: string): void;
  /** Whether requests get no answer. */
  freeze(isFrozen: boolean): void;
  /** Every request is refused with this error. */
  refuse(type: string | undefined): void;
  stop(): Promise<void>;
  start(): Promise<void>;
}

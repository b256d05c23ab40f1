import { connectTo, type RunningHost } from './host.js';

export interface RawReply {
  /** 0 where the server says nothing. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** In Latin-1: a character for each octet. */
  readonly body: string;
}

/** What a server says to exactly these bytes. */
export function raw(
  host: RunningHost,
  method: string,
  target: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RawReply> {
  const lines = Object.entries({ Host: `127.0.0.1:${host.port}`, Connection: 'close', ...more });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return new Promise((resolve) => {
    const socket = connectTo(host);
    let text = '';
    socket.write(`${method} ${target} HTTP/1.1\r\n${head}\r\n`, 'latin1');
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(replyOf(text)));
  });
}

function replyOf(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...fields] = text.slice(0, end === -1 ? undefined : end).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const [name = '', ...value] = field.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  const body = end === -1 ? '' : text.slice(end + 4);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0), headers, body };
}

/** Whether a body is lifesign's: a report, a version of `of lifesign`, or the data of the page. */
export function isOurs(body: string): boolean {
  return /"status":"ok"|"status":null|of lifesign/.test(body);
}

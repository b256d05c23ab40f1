import * as grpc from '@grpc/grpc-js';
import { service as standard } from 'grpc-health-check';
import { onTestFinished } from 'vitest';

type Reply = { readonly status: string };
const Client = grpc.makeGenericClientConstructor(standard, 'Health');

/** The standard client of grpc-js, for a server on this port. */
export function healthClient(port: number, credentials = grpc.credentials.createInsecure()) {
  const client = new Client(`127.0.0.1:${port}`, credentials);
  onTestFinished(() => client.close());
  /** The status, or the code of the error. */
  const check = (name: string) =>
    new Promise<string>((resolve) => {
      const over = (error: grpc.ServiceError | null, reply?: Reply) =>
        resolve(error === null ? String(reply?.status) : `${error.code}`);
      Reflect.apply(client['Check'] as () => void, client, [{ service: name }, over]);
    });
  const watch = (name: string) => {
    const seen: string[] = [];
    const call: grpc.ClientReadableStream<Reply> = Reflect.apply(
      client['Watch'] as () => grpc.ClientReadableStream<Reply>,
      client,
      [{ service: name }],
    );
    call.on('data', ({ status }: Reply) => void seen.push(status)).on('error', () => {});
    const ended = new Promise<number>((resolve) => call.on('status', ({ code }) => resolve(code)));
    onTestFinished(() => call.cancel());
    return { seen, call, ended };
  };
  return { check, watch };
}

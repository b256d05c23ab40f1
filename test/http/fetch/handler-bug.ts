// handler-bug.ts with|without CALL: a fetch handler has a bug; prints the summary, if there is one, to standard output.
import { Health } from 'lifesign/fetch';

const [who, call = ''] = process.argv.slice(2);

async function handler(_request: Request): Promise<Response> {
  await new Promise((resolve) => setImmediate(resolve));
  throw new RangeError('bug of the user');
}

const log = (record: object) => console.log(JSON.stringify(record));
const fetch = who === 'with' ? new Health({ logger: { log } }).wrap(handler) : handler;
const request = new Request('http://127.0.0.1/orders');

const calls: Readonly<Record<string, () => unknown>> = {
  ignored: () => fetch(request),
  awaited: async () => console.error((await fetch(request)).status),
  caught: async () => {
    try {
      await fetch(request);
    } catch (error) {
      console.error(error);
    }
  },
};
setImmediate(() => void calls[call]?.());

// What compiles with these consumers, and what does not; test/types/checks.ts has the others.
import type { Consumer as PlatformaticConsumer, MessagesStream } from '@platformatic/kafka';
import { checks, Health } from 'lifesign/node';

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it stands for a value of that type
declare function client<T>(): T;

const stalledAfter = 60_000;

export const compiled = [
  new Health(undefined, { broker: client<PlatformaticConsumer>() }),
  checks.progress({ consumer: client<MessagesStream<Buffer, Buffer, Buffer, Buffer>>(), stalledAfter }),
  checks.progress({
    consumer: () => client<MessagesStream<string, object, string, string> | undefined>(),
    stalledAfter,
  }),
  // @ts-expect-error the stream of a consumer is meant
  checks.progress({ consumer: client<PlatformaticConsumer>(), stalledAfter }),
];

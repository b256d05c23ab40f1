// What compiles with these consumers, and what does not; test/types/checks.ts has the others.
import type { Consumer as PlatformaticConsumer, MessagesStream } from '@platformatic/kafka';
import type { Runner } from 'graphile-worker';
import type { Consumer as SqsConsumer } from 'sqs-consumer';
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
  checks.progress({ consumer: client<Runner>(), stalledAfter }),
  checks.progress({ consumer: client<SqsConsumer>(), pending: async () => 3, stalledAfter }),
  // @ts-expect-error the stream of a consumer is meant
  checks.progress({ consumer: client<PlatformaticConsumer>(), stalledAfter }),
  // @ts-expect-error a promise of a runner is none
  checks.progress({ consumer: client<Promise<Runner>>(), stalledAfter }),
  // @ts-expect-error a runner has no queue
  checks.progress({ consumer: client<Runner>(), queue: 'jobs', stalledAfter }),
];

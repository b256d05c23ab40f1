// A RabbitMQ consumer: npm run build && RABBITMQ_URL=amqp://127.0.0.1:5672 node examples/worker/rabbitmq.mjs
//   curl localhost:8000/__heartbeat__
//   kill PID          takes no more messages, finishes those it has, then exits with 0
import { connect } from 'amqplib';
import { checks, drainOnSignals, Health, noteError } from 'lifesign/worker';

const queue = process.env.QUEUE ?? 'orders';
const connection = await connect(process.env.RABBITMQ_URL ?? 'amqp://127.0.0.1:5672');
const channel = await connection.createChannel();
// A consumer without a connection is useless: exit, and let the platform start a new one.
connection.on('error', () => {});
connection.on('close', () => (process.exitCode = 1));

const health = new Health({ broker: connection, probes: true });
// /livez fails when messages hang: the platform restarts the worker, and the queue gets them back.
health.check(queue, checks.progress({ consumer: channel, queue, stalledAfter: '1m' }), {
  restartAfter: '1m',
});

async function handle({ order, takes = 10 }) {
  if (order === undefined) throw new Error('no order');
  await new Promise((resolve) => setTimeout(resolve, takes));
}

await channel.assertQueue(queue, { durable: true });
await channel.prefetch(10);
const { consumerTag } = await channel.consume(queue, (message) => {
  if (message === null) return; // The server has cancelled this consumer. The check reports it.
  const { messageId, correlationId } = message.properties;
  const attempt = message.fields.redelivered ? 2 : 1;
  void health.job(
    queue,
    messageId,
    async (job) => {
      try {
        await handle(JSON.parse(message.content.toString()));
        channel.ack(message);
      } catch (error) {
        noteError(job, error);
        // One retry, then the message is dropped.
        channel.nack(message, false, attempt === 1);
      }
    },
    { attempt, requestId: correlationId },
  );
});

drainOnSignals(health, {
  // Cancel the consumer but keep the channel: running jobs still acknowledge their messages on it.
  stop: () => channel.cancel(consumerTag),
  onShutdown: [() => channel.close(), () => connection.close()],
});
await health.listening();

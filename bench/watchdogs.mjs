// The watchdogs under comparison: each tells `told` what it names as the cause of a block.
import { createServer } from 'node:http';

const busyAfter = 500;

export const watch = {
  async lifesign(told) {
    const { Health } = await import('lifesign/node');
    const health = new Health(createServer(), { logger: false, watchdog: { port: 0, busyAfter } });
    health.on('loopFreed', ({ culprit, stack, noStack }) =>
      told(`${culprit ?? ''}\n${stack ?? noStack ?? ''}`),
    );
  },
  async sentry(told) {
    // Where its thread sends what it saw.
    const server = createServer((req, res) => {
      let body = '';
      req.on('data', (chunk) => (body += chunk));
      req.on('end', () => {
        if (body.includes('ApplicationNotResponding')) told(framesIn(body));
        res.end('{}');
      });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    const Sentry = await import('@sentry/node');
    Sentry.init({
      dsn: `http://public@127.0.0.1:${server.address().port}/1`,
      defaultIntegrations: false,
      integrations: [
        Sentry.anrIntegration({ captureStackTrace: true, anrThreshold: busyAfter, pollInterval: 50 }),
      ],
    });
  },
  async blockedAt(told) {
    const { default: blocked } = await import('blocked-at');
    blocked((_time, stack) => told(stack.join('\n')), { threshold: busyAfter });
  },
};

/** The functions of an event of Sentry, the innermost first. */
function framesIn(envelope) {
  const event = envelope.split('\n').find((line) => line.includes('"exception"'));
  const frames = JSON.parse(event).exception.values.at(-1).stacktrace?.frames ?? [];
  return frames
    .toReversed()
    .map((frame) => `at ${frame.function} (${frame.filename}:${frame.lineno})`)
    .join('\n');
}

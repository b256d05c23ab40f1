// Started by stderr.process.test.ts: speaks a protocol on standard output, logs 500 lines and exits in the same turn.
import { stdoutLogger, type StdoutLoggerOptions } from 'lifesign/logging';

const to = (process.argv[2] || undefined) as StdoutLoggerOptions['to'];
const logger = stdoutLogger({ to });
process.stdout.write('{"jsonrpc":"2.0"}\n', () => {
  for (let n = 0; n < 500; n += 1)
    logger.log({ logger: 'request.summary', level: 20, time: 1, fields: { n } });
  process.exit();
});

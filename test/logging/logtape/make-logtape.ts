import { configure } from '@logtape/logtape';
import { logTapeContext, logTapeFormatter } from 'lifesign/logging';
import { identity, Sink } from '../own-records.js';

/** LogTape with our formatter and our context, and what it writes. */
export async function configureLogTape(): Promise<Sink> {
  const sink = new Sink();
  const format = logTapeFormatter(identity);
  await configure({
    contextLocalStorage: logTapeContext(),
    sinks: { out: (record) => sink.write(format(record)) },
    loggers: [
      { category: [], sinks: ['out'], lowestLevel: 'trace' },
      { category: ['logtape', 'meta'], parentSinks: 'override' },
    ],
  });
  return sink;
}

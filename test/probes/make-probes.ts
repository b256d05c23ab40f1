import { vi } from 'vitest';
import { type Answer, createHandler, type HealthOptions, type LogRecord, type ProbesOptions } from 'lifesign';

/** A Health with probes on a clock that stands still, what it logs, and a way to ask it. */
export async function makeProbes(probes: boolean | ProbesOptions = true, options: HealthOptions = {}) {
  vi.useFakeTimers();
  // Runs come as soon as they may; that they come later by chance has a test of its own.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const records: LogRecord[] = [];
  const handle = createHandler({
    probes,
    logger: { log: (record) => void records.push(record) },
    ...options,
  });
  const { health } = handle;
  await vi.advanceTimersByTimeAsync(0);
  const ask = async (target: string, method = 'GET'): Promise<Answer> => {
    const answer = handle(method, target, {});
    if (answer === undefined) throw new Error(`${target} is not served`);
    const made: Answer[] = [];
    void Promise.resolve(answer).then((ready) => made.push(ready));
    // As far as needed: what does not wait for the clock leaves it alone.
    for (let turn = 0; turn < 20 && made.length === 0; turn += 1) await vi.advanceTimersByTimeAsync(0);
    for (let ms = 0; ms < 10_000 && made.length === 0; ms += 10) await vi.advanceTimersByTimeAsync(10);
    const [ready] = made;
    if (ready === undefined) throw new Error(`${target} gave no answer`);
    return ready;
  };
  const codes = async (...targets: readonly string[]) => {
    const all: number[] = [];
    for (const target of targets) all.push((await ask(target)).status);
    return all;
  };
  const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { health, handle, records, ask, codes, after };
}

import type { SecondOpinion } from '../../core/heartbeat/scope.js';
import { isObject } from '../client.js';

/** A second opinion whose code is loaded where the probes are on, or at the latest when it is asked for. */
export function offer<Code>(
  dependency: unknown,
  load: () => Promise<Code>,
  make: (code: Code) => SecondOpinion['ask'],
): SecondOpinion | undefined {
  if (!isObject(dependency)) return undefined;
  let made: SecondOpinion['ask'] | undefined;
  const ready = async () => {
    const code = await load();
    made ??= make(code);
    return made;
  };
  return {
    dependency,
    proves: true,
    prepare: () => void ready().catch(() => {}),
    ask: async (context) => (made ?? (await ready()))(context),
  };
}

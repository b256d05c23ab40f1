import type { SecondOpinion } from '../../core/heartbeat/scope.js';
import { isObject } from '../client.js';

/** Asks for an opinion. */
export interface OpinionSource {
  (...context: Parameters<SecondOpinion['ask']>): ReturnType<SecondOpinion['ask']>;
  /** Starts to collect what it needs for an opinion. */
  watch?(): void;
  release?(): void;
  /** Whether a fresh connection works. */
  reaches?: SecondOpinion['reaches'];
  identity?: SecondOpinion['identity'];
}

/** A second opinion whose code is loaded when the probes are turned on, or at the latest when it is asked for. */
export function offer<Code>(
  dependency: unknown,
  load: () => Promise<Code>,
  make: (code: Code) => OpinionSource,
): SecondOpinion | undefined {
  if (!isObject(dependency)) return undefined;
  let made: OpinionSource | undefined;
  const ready = async () => {
    const code = await load();
    made ??= make(code);
    return made;
  };
  return {
    dependency,
    proves: true,
    prepare: () =>
      void ready()
        .then((asker) => asker.watch?.())
        .catch(() => {}),
    release: () => made?.release?.(),
    identity: () => made?.identity?.(),
    reaches: async (within) => (made ?? (await ready())).reaches?.(within),
    ask: async (context) => (made ?? (await ready()))(context),
  };
}

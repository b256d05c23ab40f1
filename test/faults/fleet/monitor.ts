import { setTimeout as sleep } from 'node:timers/promises';

/** What is asked of an instance. */
interface Watched {
  readonly monitor: string | undefined;
  /** Whether it is being replaced. */
  readonly leaving: boolean;
}

/** What the health endpoint of a service said, as a monitoring system reads it. */
export class Monitor {
  /** When trouble was first seen, on the clock of `performance`. */
  noticed: number | undefined;
  /** The text of the first answer that failed, or else of the last one. */
  said = '';

  /** Sees trouble; only the first time counts. */
  notice(said?: string): void {
    this.noticed ??= performance.now();
    if (said !== undefined && said !== '' && !this.#failed) {
      this.#failed = true;
      this.said = said;
    }
  }

  #failed = false;

  /** Asks one after the other, twice a second. A check may take 5 s, so one without an answer after 6 s has failed. */
  async watch(instances: readonly Watched[], signal: AbortSignal): Promise<void> {
    const ask = async (instance: Watched) => {
      const { monitor: url } = instance;
      if (url === undefined) return;
      for (; !signal.aborted; await sleep(500, undefined, { signal }).catch(() => {})) {
        if (instance.leaving) continue;
        try {
          const response = await fetch(url, { signal: AbortSignal.timeout(6000) });
          const text = await response.text();
          if (signal.aborted || instance.leaving) continue;
          if (!response.ok) this.notice(text);
          else if (!this.#failed) this.said = text;
        } catch {
          if (!signal.aborted && !instance.leaving) this.notice();
        }
      }
    };
    await Promise.all(instances.map(ask));
  }
}

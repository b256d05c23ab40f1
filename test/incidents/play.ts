import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures, Incident, Play } from './list.js';

/** What came of one set-up: figures, or why there are none. */
interface Played {
  readonly setUp: string;
  readonly figures?: Figures;
  readonly error?: unknown;
}

/** No incident takes longer, on any machine. */
const limit = 240_000;

/** Plays an incident with all its set-ups side by side: each has its own database and its own load balancer. */
export async function playAll(
  { file, setUps }: Omit<Incident, 'title'>,
  quick = false,
): Promise<readonly Played[]> {
  const { play }: { play: Play } = await import(`./scenarios/${file}.ts`);
  const late = new AbortController();
  const tooLate = sleep(limit, undefined, { signal: late.signal }).then(() => {
    throw new Error(`It took longer than ${limit / 1000} s`);
  });
  tooLate.catch(() => {});
  try {
    return await Promise.all(
      setUps.map(async (setUp): Promise<Played> => {
        try {
          return { setUp, figures: await Promise.race([play(setUp, quick), tooLate]) };
        } catch (error) {
          return { setUp, error };
        }
      }),
    );
  } finally {
    late.abort();
  }
}

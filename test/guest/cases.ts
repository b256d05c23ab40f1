/** What the table is made of: a case has one value of each. */
const dimensions = {
  signal: ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'],
  state: [
    'idle',
    'blocked in JavaScript',
    'blocked in crypto',
    'blocked in Atomics.wait',
    'blocked by a child',
    'in a request',
  ],
  handler: [
    'none',
    'exit code',
    'raise at once',
    'raise later',
    'raise if last',
    'natural end',
    'prepended',
    'emitted',
  ],
  stdout: ['pipe', 'socket', 'file', 'terminal', 'closed', 'gone', 'stuck'],
  lifesign: ['default', 'all features', 'auto', 'auto with drain'],
} as const;

type Dimension = keyof typeof dimensions;
const names = Object.keys(dimensions) as Dimension[];
export type Case = { readonly [Name in Dimension]: (typeof dimensions)[Name][number] };

/** Cases in which every combination of `strength` values occurs at least once, other cases for another seed. */
export function covering(strength: number, seed: number): Case[] {
  const below = random(seed);
  const missing = new Set(combinations(strength).flatMap((chosen) => valuesOf(chosen)));
  const groups = combinations(strength);
  const cases: Case[] = [];
  while (missing.size > 0) {
    const [wanted = ''] = missing;
    let best: { one: Case; adds: string[] } | undefined;
    for (let tries = 0; tries < 30; tries += 1) {
      const one = { ...any(below), ...(JSON.parse(wanted) as Partial<Case>) };
      const adds = groups.map((chosen) => keyOf(chosen, one)).filter((key) => missing.has(key));
      if (best === undefined || adds.length > best.adds.length) best = { one, adds };
    }
    if (best === undefined) break;
    cases.push(best.one);
    for (const key of best.adds) missing.delete(key);
  }
  return cases;
}

function any(below: (limit: number) => number): Case {
  const pick = <Name extends Dimension>(name: Name): [Name, unknown] => [
    name,
    dimensions[name][below(dimensions[name].length)],
  ];
  return Object.fromEntries(names.map(pick)) as Case;
}

/** All sets of so many dimensions. */
function combinations(size: number, from: readonly Dimension[] = names): Dimension[][] {
  if (size === 0) return [[]];
  return from.flatMap((name, index) =>
    combinations(size - 1, from.slice(index + 1)).map((rest) => [name, ...rest]),
  );
}

function valuesOf([name, ...rest]: readonly Dimension[], before: Partial<Case> = {}): string[] {
  if (name === undefined) return [JSON.stringify(before)];
  return dimensions[name].flatMap((value) => valuesOf(rest, { ...before, [name]: value }));
}

const keyOf = (chosen: readonly Dimension[], one: Case): string =>
  JSON.stringify(Object.fromEntries(chosen.map((name) => [name, one[name]])));

/** A small generator of numbers, the same for the same seed. */
function random(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

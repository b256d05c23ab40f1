// Rows to Markdown; the budgets they miss, and the limits they break.

const two = (number) => (number >= 10 ? number.toFixed(1) : number.toFixed(2));
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const atLeast = (budget) => (budget === undefined ? '' : `≥ ${budget}`);
const atMost = (budget) => (budget === undefined ? '' : `≤ ${budget}`);

/** Sorts what is worse than its budget: past the limit it is broken, which fails the run, before it missed. */
function judge(findings) {
  const missed = findings.filter(({ value, budget, limit, less }) => {
    if (budget === undefined) return false;
    return less ? value > budget && value <= limit : value < budget && value >= limit;
  });
  const broken = findings.filter(({ value, limit, less }) => {
    if (limit === undefined) return false;
    return less ? value > limit : value < limit;
  });
  return { missed: missed.map(({ says }) => says), broken: broken.map(({ says }) => says) };
}

/** One work over HTTP. */
export function httpSection({ name, perCheck }, rows) {
  const body = rows.map(({ label, cpu, rps, cpuRatio, ratio, spread, budget }) => [
    label,
    cpu.toFixed(1),
    Math.round(rps).toLocaleString('en'),
    `**${two(cpuRatio)}** (${spread.map(two).join(' to ')})`,
    two(ratio),
    atLeast(budget),
  ]);
  const findings = rows.map(({ label, ratio, cpuRatio, budget, limit }) => {
    // Both must be worse: throughput suffers from a busy neighbour, CPU time from a cold cache.
    const value = Math.max(ratio, cpuRatio);
    const says = `${name}: ${label} has ${two(value)} of the bare route, budget ${budget}`;
    return { value, budget, limit, says };
  });
  let text = `### ${name}\n\n${table(['', 'CPU µs', 'requests/s', 'ratio in CPU time', 'in throughput', 'budget'], body)}`;
  if (perCheck !== undefined) {
    const { from, to, checks, budget, limit } = perCheck;
    const cpuOf = (subject) => rows.find((row) => row.subject.endsWith(`/${subject}`)).cpu;
    const value = (cpuOf(to) - cpuOf(from)) / checks;
    text += `\n\nEach further check beyond 100: ${two(value)} µs (budget ${budget}).`;
    const says = `${name}: ${two(value)} µs per further check, budget ${budget}`;
    findings.push({ value, budget, limit, less: true, says });
  }
  return { text, ...judge(findings) };
}

/** What the watchdog needs, and what it and others name. */
export function watchdogSection({ megabytes, p50, p99, stack, slowest }, { tools, rows }) {
  const figures = [
    ['memory of the thread', `${megabytes.toFixed(0)} MB`, ''],
    ['answer while the main thread spins, half of the time', `${p50.toFixed(1)} ms`, ''],
    ['the same, 99 of 100 times', `${p99.toFixed(1)} ms`, '≤ 50 ms'],
    [
      'from the notice of a block to its stack',
      `${stack.toFixed(0)} ms (at most ${slowest.toFixed(0)} ms)`,
      '',
    ],
  ];
  const naming = rows.map(({ kind, said }) => [kind, ...Object.keys(tools).map((tool) => said[tool])]);
  const says = `watchdog: 99 of 100 answers within ${p99.toFixed(1)} ms, budget 50`;
  return {
    text: `### watchdog\n\n${table(['', 'measured', 'budget'], figures)}\n\nWhat is named for each of six blocks of 2.5 s:\n\n${table(['', ...Object.values(tools)], naming)}`,
    ...judge([{ value: p99, budget: 50, limit: 250, less: true, says }]),
  };
}

export function formatterSection(rows) {
  const body = rows.map(({ label, nanoseconds, ratio, budget }) => [
    label,
    Math.round(nanoseconds),
    `**${two(ratio)}**`,
    atLeast(budget),
  ]);
  return {
    text: `### one record to a line\n\n${table(['', 'CPU ns', 'times as fast as pino', 'budget'], body)}`,
    ...judge(
      rows.map(({ ratio: value, budget, limit }) => {
        return {
          value,
          budget,
          limit,
          says: `formatter: ${two(value)} times as fast as pino, budget ${budget}`,
        };
      }),
    ),
  };
}

export function stormSection(rows) {
  const head = [
    '',
    'p99 of own queries, quiet (ms)',
    'same requests, no check (ms)',
    'storm (ms)',
    'storm against quiet',
    'budget',
  ];
  const body = rows.map(({ label, quiet, busy, stormy, ratio, budget }) => [
    label,
    two(quiet),
    two(busy),
    two(stormy),
    `**${two(ratio)}**`,
    atMost(budget),
  ]);
  return {
    text: `### storm: 200 heartbeats at once, twice a second, pool of 10, check of 20 ms\n\n${table(head, body)}`,
    ...judge(
      rows.map(({ label, ratio: value, budget, limit }) => {
        const says = `storm: ${label} raises p99 ${two(value)} times, budget ${budget}`;
        return { value, budget, limit, less: true, says };
      }),
    ),
  };
}

export function startUpSection(rows) {
  const body = rows.map(({ label, ms, share, mb, packages, kilobytes, budget }) => [
    label,
    ms.toFixed(1),
    `${Math.round(share * 100)} %`,
    mb.toFixed(1),
    packages,
    Math.round(kilobytes).toLocaleString('en'),
    budget === undefined ? '' : `≤ ${budget.ms} ms, ${budget.mb} MB`,
  ]);
  const head = ['import', 'ms', 'of an empty process', 'MB of memory', 'packages', 'KB on disk', 'budget'];
  return {
    text: `### start-up, above an empty process\n\n${table(head, body)}`,
    ...judge(
      rows
        .filter(({ budget }) => budget !== undefined)
        .flatMap(({ label, ms, share, mb, budget, limit }) => {
          const says = `start-up: ${label} takes ${ms.toFixed(1)} ms and ${mb.toFixed(1)} MB`;
          return [
            { value: ms, budget: budget.ms, limit: Infinity, less: true, says },
            { value: share, limit: limit.share, less: true, says },
            { value: mb, budget: budget.mb, limit: budget.mb, less: true, says },
          ];
        }),
    ),
  };
}

export function probeSection(rows) {
  const body = rows.map(({ label, ms, ratio, budget }) => [
    label,
    ms.toFixed(1),
    `**${two(ratio)}**`,
    atMost(budget),
  ]);
  return {
    text: `### one probe, the whole process\n\n${table(['', 'ms', 'times an empty Node', 'budget'], body)}`,
    ...judge(
      rows.map(({ ratio: value, budget, limit }) => {
        const says = `probe: ${two(value)} times node -e "", budget ${budget}`;
        return { value, budget, limit, less: true, says };
      }),
    ),
  };
}

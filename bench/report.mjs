// Rows to Markdown, and the budgets they break.

const two = (number) => (number >= 10 ? number.toFixed(1) : number.toFixed(2));
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const atLeast = (budget) => (budget === undefined ? '' : `≥ ${budget}`);
const atMost = (budget) => (budget === undefined ? '' : `≤ ${budget}`);

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
  const broken = rows
    // Both must be worse: throughput suffers from a busy neighbour, CPU time from a cold cache.
    .filter(({ budget, ratio, cpuRatio }) => budget !== undefined && Math.max(ratio, cpuRatio) < budget)
    .map(
      ({ label, ratio, cpuRatio, budget }) =>
        `${name}: ${label} has ${two(Math.max(ratio, cpuRatio))} of the bare route, budget ${budget}`,
    );
  let text = `### ${name}\n\n${table(['', 'CPU µs', 'requests/s', 'ratio in CPU time', 'in throughput', 'budget'], body)}`;
  if (perCheck !== undefined) {
    const cpuOf = (subject) => rows.find((row) => row.subject.endsWith(`/${subject}`)).cpu;
    const each = (cpuOf(perCheck.to) - cpuOf(perCheck.from)) / perCheck.checks;
    text += `\n\nEach further check beyond 100: ${two(each)} µs (budget ${perCheck.budget}).`;
    if (each > perCheck.budget)
      broken.push(`${name}: ${two(each)} µs per further check, budget ${perCheck.budget}`);
  }
  return { text, broken };
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
    broken: rows
      .filter(({ ratio, budget }) => ratio < budget)
      .map(({ ratio, budget }) => `formatter: ${two(ratio)} times as fast as pino, budget ${budget}`),
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
    broken: rows
      .filter(({ ratio, budget }) => ratio > budget)
      .map(({ label, ratio, budget }) => `storm: ${label} raises p99 ${two(ratio)} times, budget ${budget}`),
  };
}

export function startUpSection(rows) {
  const body = rows.map(({ label, ms, mb, packages, kilobytes, budget }) => [
    label,
    ms.toFixed(1),
    mb.toFixed(1),
    packages,
    Math.round(kilobytes).toLocaleString('en'),
    budget === undefined ? '' : `≤ ${budget.ms} ms, ${budget.mb} MB`,
  ]);
  return {
    text: `### start-up, above an empty process\n\n${table(['import', 'ms', 'MB of memory', 'packages', 'KB on disk', 'budget'], body)}`,
    broken: rows
      .filter(({ ms, mb, budget }) => budget !== undefined && (ms > budget.ms || mb > budget.mb))
      .map(({ label, ms, mb }) => `start-up: ${label} takes ${ms.toFixed(1)} ms and ${mb.toFixed(1)} MB`),
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
    broken: rows
      .filter(({ ratio, budget }) => ratio > budget)
      .map(({ ratio, budget }) => `probe: ${two(ratio)} times node -e "", budget ${budget}`),
  };
}

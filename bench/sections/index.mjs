// Everything that can be measured, and what of it a run asks for.
import { versionWorks, works } from '../works/index.mjs';
import { checksSection } from './checks.mjs';
import { formatterSection } from './formatter.mjs';
import { measuredSection } from './http.mjs';
import { linesSection } from './lines.mjs';
import { memorySection } from './memory.mjs';
import { probeSection } from './probe.mjs';
import { startUpSection } from './start-up.mjs';
import { stormSection } from './storm.mjs';
import { versionsSection } from './versions.mjs';
import { watchdogSection } from './watchdog.mjs';

const full = { launches: 3, rounds: 10, milliseconds: 100, warmUp: 20_000 };

/** The works, or only the rows, that a name fits. */
function chosen(list, { only, write }) {
  return list.flatMap((work) => {
    if (work.name.includes(only)) return [work];
    const rows = work.rows.filter((row, index) => index === 0 || `${work.name}: ${row.label}`.includes(only));
    if (rows.length > 1 && write) throw new Error(`--write takes whole tables: use --only "${work.name}".`);
    return rows.length > 1 ? [{ ...work, rows }] : [];
  });
}

/** The measurements that a run makes, one after the other; each gives a section. */
export function sectionsOf(values) {
  const { write, only, node, rounds, requests } = values;
  const effort = (base) => ({
    ...base,
    ...(rounds !== undefined && { launches: 1, rounds: Number(rounds) }),
  });
  if (node !== undefined) {
    if (write && only !== '') throw new Error('--write takes the whole table of versions: leave out --only.');
    const list = chosen(versionWorks, values);
    return [() => versionsSection(list, node.split(','), effort({ ...full, rounds: 8, milliseconds: 80 }))];
  }
  const others = {
    'scale: checks': () => checksSection(effort(full)),
    'scale: log lines': () => linesSection({ seconds: 4 }),
    'scale: memory': () => memorySection({ requests: Number(requests) }),
    storm: () => stormSection({ rounds: Number(rounds ?? 3), seconds: 4 }),
    watchdog: () => watchdogSection({ rounds: 6 }),
    formatter: () => formatterSection({ rounds: 15, lines: 50_000 }),
    'start-up': () => startUpSection({ rounds: 20 }),
    probe: () => probeSection({ rounds: 40 }),
  };
  return [
    ...chosen(works, values).map((work) => () => measuredSection(work, effort(full))),
    ...Object.entries(others).flatMap(([name, run]) => (name.includes(only) ? [run] : [])),
  ];
}

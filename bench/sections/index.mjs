// Everything that can be measured, and what of it a run asks for.
import { frameworkOf, quickWorks, versionWorks, works } from '../works/index.mjs';
import { checksSection } from './checks.mjs';
import { formatterSection } from './formatter.mjs';
import { httpSections } from './http.mjs';
import { linesSection } from './lines.mjs';
import { memorySection } from './memory.mjs';
import { probeSection } from './probe.mjs';
import { startUpSection } from './start-up.mjs';
import { stormSection } from './storm.mjs';
import { versionsSection } from './versions.mjs';
import { watchdogSection } from './watchdog.mjs';
import { watchersSection } from './watchers.mjs';

const full = { launches: 3, rounds: 10, milliseconds: 100, warmUp: 8000 };
const short = { launches: 2, rounds: 14, milliseconds: 50, warmUp: 4000 };

/** The works, or only the rows, that a name fits. */
function chosen(list, only) {
  return list.flatMap((work) => {
    if (work.name.includes(only)) return [work];
    const rows = work.rows.filter((row, index) => index === 0 || `${work.name}: ${row.label}`.includes(only));
    return rows.length > 1 ? [{ ...work, rows, partial: true }] : [];
  });
}

/** The measurements that a run makes, one after the other; each gives sections. */
export function sectionsOf({ quick, only, node, rounds, requests }) {
  const effort = (base) => ({
    ...base,
    ...(rounds !== undefined && { launches: 1, rounds: Number(rounds) }),
  });
  if (node !== undefined) {
    const list = chosen(versionWorks, only);
    return [
      async () => [
        await versionsSection(list, node.split(','), effort({ ...full, rounds: 8, milliseconds: 80 })),
      ],
    ];
  }
  const others = {
    'checks: 1 to 1,000': () => checksSection(effort(full)),
    'watchers: 1 to 100': () => watchersSection({ seconds: 6, rounds: Number(rounds ?? 2) }),
    'lines: 1,000 to 50,000 a second': () => linesSection({ seconds: 4 }),
    memory: () => memorySection({ requests: Number(requests) }),
    storm: () => stormSection({ rounds: Number(rounds ?? 3), seconds: 4 }),
    watchdog: () => watchdogSection({ rounds: 6 }),
    formatter: () => formatterSection(quick ? { rounds: 9, lines: 10_000 } : { rounds: 15, lines: 50_000 }),
    'start-up': () => startUpSection({ rounds: quick ? 5 : 15, quick }),
    probe: () => probeSection({ rounds: quick ? 8 : 40, quick }),
  };
  // What needs minutes is no part of the regression check.
  const inQuick = new Set(['formatter', 'start-up', 'probe']);
  const rest = Object.entries(others)
    .filter(([name]) => name.includes(only) && (!quick || inQuick.has(name)))
    .map(([, run]) => async () => [await run()]);
  if (!quick) {
    return [...chosen(works, only).map((work) => () => httpSections([work], effort(full))), ...rest];
  }
  // All works of a framework in one, so that its servers start once.
  const wanted = chosen(quickWorks, only);
  const groups = [...new Set(wanted.map(frameworkOf))].map((framework) =>
    wanted.filter((work) => frameworkOf(work) === framework),
  );
  return [...groups.map((group) => () => httpSections(group, effort(short), { again: true })), ...rest];
}

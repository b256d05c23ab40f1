// The same rows on several versions of Node: --node 20,22,24.
import { compare, summarise } from '../measure.mjs';
import { signed, table } from '../report.ts';
import { installNode } from '../install-node.mjs';

export async function versionsSection(works, versions, effort) {
  const nodes = versions.map((version) => installNode(version));
  const measured = [];
  for (const { path } of nodes) {
    const frameworks = [...new Set(works.map(({ rows: [{ subject }] }) => subject))];
    const results = new Map();
    // The works of a framework have the same servers.
    for (const first of frameworks) {
      const group = works.filter(({ rows }) => rows[0].subject === first);
      const rounds = await compare(group, { ...effort, node: path });
      for (const [index, work] of group.entries()) results.set(work, rounds[index]);
    }
    measured.push(results);
  }
  const body = works.flatMap((work) =>
    work.rows.slice(1).map((row, place) => [
      `${work.name}: ${row.label}`,
      ...measured.map((results) => {
        const { above, share } = summarise(row, results.get(work)[place + 1]);
        return `**${signed(above)}** (${signed(share)})`;
      }),
    ]),
  );
  return {
    name: 'versions',
    text: `### versions of Node: CPU µs above the bare route, and as a share of it\n\n${table(['', ...nodes.map(({ version }) => version)], body)}`,
    missed: [],
    broken: [],
  };
}

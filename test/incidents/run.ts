// npm run test:incidents [-- dead-connections …]: plays the incidents with all set-ups, and writes the table of docs/incidents.md.
import { install } from '../services/install.js';
import { services } from '../services/list.js';
import { incidents } from './list.js';
import { playAll } from './play.js';
import { publish, publishDate } from './table.js';

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !incidents.some(({ file }) => file === name));
if (unknown.length > 0) {
  console.error(
    `There is no incident ${unknown.join(', ')}. There are: ${incidents.map(({ file }) => file).join(', ')}`,
  );
  process.exit(2);
}

// Whoever ends this process ends its servers, too: they are killed when it exits (test/services/process.ts), and the applications end with their parent.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const failures: string[] = [];
const began = performance.now();
await install([services.postgres, services.redis, services.haproxy]);
for (const incident of incidents.filter(({ file }) => asked.length === 0 || asked.includes(file))) {
  const since = performance.now();
  for (const { setUp, figures, error } of await playAll(incident)) {
    if (figures === undefined) failures.push(`${incident.file}, ${setUp}: ${String(error)}`);
    else publish(incident.title, setUp, figures);
  }
  console.log(`${incident.file}: ${Math.round((performance.now() - since) / 1000)} s`);
}
console.log(`all: ${Math.round((performance.now() - began) / 1000)} s`);
if (failures.length === 0 && asked.length === 0) publishDate();
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

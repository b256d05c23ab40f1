// The conformance list without a test runner: for runtimes on which ours does not run. Exits with 1 when a case fails.
import { cases, recordedCases } from './cases/index.js';
import { hosts } from './hosts/index.js';
import { runCase } from './run-case.js';

const all = [...cases, ...(await recordedCases())];
let failed = 0;
for (const host of hosts) {
  let passed = 0;
  for (const one of all) {
    try {
      await runCase(host, one);
      passed += 1;
    } catch (thrown) {
      failed += 1;
      console.log(
        `FAILED ${host.name}: ${one.name}\n${thrown instanceof Error ? thrown.stack : String(thrown)}`,
      );
    }
  }
  console.log(`${host.name}: ${passed} of ${all.length} passed`);
}
process.exit(failed === 0 ? 0 : 1);

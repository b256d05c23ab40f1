// One block under one watchdog in a process of its own: node bench/blocked.mjs lifesign loop. Sends what was named.
import { blocks } from '../test/watchdog/blocks.mjs';
import { watch } from './watchdogs.mjs';

const [tool, kind] = process.argv.slice(2);
const block = blocks[kind](2500);
let armed = false;
await watch[tool]((text) => armed && process.send(text));
setTimeout(function run() {
  armed = true;
  block();
}, 1500);
setTimeout(() => process.exit(), 60_000);

// An application in CommonJS that is blocked in its first turn: node first-turn.cjs BUILT SETUP
const { existsSync } = require('node:fs');
const { createServer } = require('node:http');

const [built, json] = process.argv.slice(2);
const { watchdog, firstTurn } = JSON.parse(json);
const { Health } = require(`${built}/dist/cjs/frameworks/node.js`);

function waitFor(path) {
  while (!existsSync(path));
}

const server = createServer();
new Health(server, { watchdog });
waitFor(firstTurn);
server.listen(0, '127.0.0.1');

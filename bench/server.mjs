// One subject in a process of its own: node bench/server.mjs node/lifesign
import process from 'node:process';

const [framework, name] = process.argv[2].split('/');
const subjects = await import(`./servers/${framework}.mjs`);
const server = await subjects[name]();
if (!server.listening) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
process.on('message', () => process.send(server.answer?.() ?? process.cpuUsage()));
process.on('disconnect', () => process.exit());
process.send({ port: server.address().port });

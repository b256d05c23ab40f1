// Patches servers as dd-trace and its kin do: emit, listen and the responses, on the prototypes and on what is made later.
const http = require('node:http');
const net = require('node:net');

function wrap(target, name, make) {
  const original = target[name];
  Object.defineProperty(target, name, { value: make(original), writable: true, configurable: true });
}

wrap(http.Server.prototype, 'emit', (emit) => {
  return function patchedEmit(event, ...args) {
    if (event === 'request') process.stderr.write(`seen ${args[0].url}\n`);
    return emit.call(this, event, ...args);
  };
});
wrap(net.Server.prototype, 'listen', (listen) => {
  return function patchedListen(...args) {
    process.stderr.write('listens\n');
    return listen.apply(this, args);
  };
});
wrap(http.ServerResponse.prototype, 'writeHead', (writeHead) => {
  return function patchedWriteHead(...args) {
    return writeHead.apply(this, args);
  };
});
wrap(http, 'createServer', (createServer) => {
  return function patchedCreateServer(...args) {
    const server = createServer.apply(this, args);
    wrap(server, 'emit', (emit) => {
      return function patchedAgain(...given) {
        return emit.apply(this, given);
      };
    });
    return server;
  };
});

// The floor: the nine fields of a summary by hand, one write a turn, and nothing of what can go wrong; with `inContext` inside AsyncLocalStorage.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { hostname } from 'node:os';

const front = `{"Type":"request.summary","Logger":"app","Hostname":"${hostname()}","EnvVersion":"2.0","Severity":6,"Pid":${process.pid},"Timestamp":`;

export function floor(server, inContext) {
  const storage = new AsyncLocalStorage();
  const emit = server.emit.bind(server);
  let lines = '';
  const write = () => {
    try {
      writeSync(1, lines);
    } catch {
      // A pipe that is full: the lines are lost, as such code loses them.
    }
    lines = '';
  };
  server.emit = (event, req, res, ...rest) => {
    if (event !== 'request') return emit(event, req, res, ...rest);
    const started = performance.now();
    const id = req.headers['x-request-id'] ?? randomUUID();
    res.on('close', () => {
      const { 'user-agent': agent = '', 'accept-language': lang = '' } = req.headers;
      const t = Math.round(performance.now() - started);
      if (lines === '') setImmediate(write);
      lines += `${front}${Date.now()}000000,"Fields":{"errno":0,"agent":"${agent}","lang":"${lang}","method":"${req.method}","path":"${req.url}","code":${res.statusCode},"uid":"","rid":"${id}","t":${t}}}\n`;
    });
    return inContext ? storage.run({ id }, emit, event, req, res) : emit(event, req, res);
  };
  return server;
}

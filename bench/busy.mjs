// Makes a server slower by a known share: BENCH_BUSY=0.05 proves that the regression check sees 5 per cent.

function spin(turns) {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) sum = (sum + turn) % 1021;
  return sum;
}

/** Turns of the loop in a microsecond of CPU time. */
function speed() {
  const turns = 2_000_000;
  spin(turns);
  const before = process.cpuUsage();
  spin(turns);
  return turns / process.cpuUsage(before).user;
}

/** Adds a share of what the server itself takes for a request, measured late in the warm-up, when V8 has compiled the code. */
export function spinFor(server, share) {
  const perMicrosecond = speed();
  const [from, to] = [7000, 9000];
  let [requests, turns, before] = [0, 0, undefined];
  const emit = server.emit;
  // Around the emit of lifesign, which answers its endpoints before any listener.
  server.emit = function (event, ...rest) {
    if (event === 'request') {
      requests += 1;
      if (requests === from) before = process.cpuUsage();
      if (requests === to) {
        const { user, system } = process.cpuUsage(before);
        turns = Math.round(((user + system) / (to - from)) * share * perMicrosecond);
      }
      spin(turns);
    }
    return emit.call(this, event, ...rest);
  };
}

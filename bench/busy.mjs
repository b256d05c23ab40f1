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

/** Adds a share of what the server itself takes for a request, measured on its first requests. */
export function spinFor(server, share) {
  const perMicrosecond = speed();
  const [cold, warm] = [4000, 5500];
  let [requests, turns, before] = [0, 0, undefined];
  server.prependListener('request', () => {
    requests += 1;
    if (requests === cold) before = process.cpuUsage();
    if (requests === warm) {
      const { user, system } = process.cpuUsage(before);
      turns = Math.round(((user + system) / (warm - cold)) * share * perMicrosecond);
    }
    spin(turns);
  });
}

// What small parts of lifesign save beside the plainest way to write them: node bench/parts.mjs
// The contenders take turns in many short rounds, and the median of their CPU time counts.
const rounds = 200;

function compare(title, unit, contenders) {
  const times = new Map(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const turns = [...times.keys()];
    for (const name of round % 2 === 0 ? turns : turns.toReversed()) {
      const { count, run } = contenders[name]();
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      times.get(name).push(((user + system) * 1000) / count);
    }
  }
  const medians = [...times].map(
    ([name, all]) => `${name} ${all.toSorted((a, b) => a - b)[rounds / 2].toFixed(0)} ns`,
  );
  console.log(`${title}, ${unit}: ${medians.join(', ')}`);
}

const routes = new Map(
  ['/__version__', '/__heartbeat__', '/__lbheartbeat__'].flatMap((path) => [
    [path, path],
    [`${path}/`, path],
  ]),
);
const lookUp = (target) => {
  const query = target.indexOf('?');
  return routes.get(query === -1 ? target : target.slice(0, query));
};
const leaveEarly = (target) =>
  target.startsWith('/') && !target.startsWith('/__') ? undefined : lookUp(target);

/** As the parser makes them: each a new string, whose hash nobody has asked for. */
const targets = (target, count) => Array.from({ length: count }, () => Buffer.from(target).latin1Slice());
const matching = (match, target) => () => {
  const all = targets(target, 10_000);
  let found = 0;
  return {
    count: all.length,
    run() {
      for (const each of all) if (match(each) !== undefined) found += 1;
      return found;
    },
  };
};
for (const target of ['/', '/api/users/12345', '/api/users/12345/orders?page=2', '/__heartbeat__']) {
  compare(target, 'a request', {
    'a map of paths': matching(lookUp, target),
    'beginning first': matching(leaveEarly, target),
  });
}

class Linked {
  #first;
  add(entry) {
    entry.after = this.#first;
    if (this.#first !== undefined) this.#first.before = entry;
    this.#first = entry;
  }
  delete(entry) {
    const { before, after } = entry;
    if (before !== undefined) before.after = after;
    else this.#first = after;
    if (after !== undefined) after.before = before;
    entry.before = undefined;
    entry.after = undefined;
  }
}
class Timers {
  #timers = new Map();
  add(entry) {
    this.#timers.set(entry, setTimeout(() => {}, 5000).unref());
  }
  delete(entry) {
    clearTimeout(this.#timers.get(entry));
    this.#timers.delete(entry);
  }
}
/** Each run of a check is a new object, whose hash a Set has to make first. */
const waiting = (deadlines, checks) => () => {
  const heartbeats = Array.from({ length: Math.ceil(6000 / checks) }, () =>
    Array.from({ length: checks }, () => ({ before: undefined, after: undefined })),
  );
  return {
    count: heartbeats.length * checks,
    run() {
      for (const entries of heartbeats) {
        for (const entry of entries) deadlines.add(entry);
        for (const entry of entries) deadlines.delete(entry);
      }
    },
  };
};
for (const checks of [3, 30, 300]) {
  compare(`deadlines of ${checks} checks`, 'a check', {
    'a timer each': waiting(new Timers(), checks),
    'a Set': waiting(new Set(), checks),
    'linked entries': waiting(new Linked(), checks),
  });
}

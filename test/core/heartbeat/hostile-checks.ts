import fc from 'fast-check';
import type { Check, CheckContext } from 'lifesign/checks';
import { checks, type HealthCore } from 'lifesign';

export const secret = 'hunter2SECRET';

/** What a check may do with its Health and its context before it answers. */
type Deed = (health: HealthCore, context: CheckContext, ask: () => unknown) => unknown;
/** How what it says gets to us. */
type Way = (value: () => unknown) => unknown;

const boom = () => {
  throw new Error(`boom postgres://app:${secret}@db`);
};

function message(): checks.Warning {
  return new checks.Warning(`url redis://:${secret}@cache`, { id: 'a.W', hint: `see redis://:${secret}@h` });
}

/** A message whose properties were set to anything after it was made, or cannot be read. */
const forged = fc
  .tuple(
    fc.constantFrom('text', 'id', 'level', 'hint'),
    fc.oneof(
      fc.anything(),
      fc.constantFrom<unknown>(
        10n,
        Symbol('a'),
        new Error(`https://u:${secret}@h`),
        `https://u:${secret}@h`,
        { toJSON: boom, toString: boom },
        35,
        'x'.repeat(100_000),
      ),
    ),
    fc.constantFrom('value', 'getter', 'proxy', 'toStringTag'),
  )
  .map(([key, value, how]) => () => {
    if (how === 'proxy') return new Proxy(message(), { get: boom, has: () => true });
    if (how === 'getter') return Object.defineProperty(message(), key, { get: boom });
    if (how === 'toStringTag') {
      return Object.defineProperty(message(), key, {
        value: Object.defineProperty({}, Symbol.toStringTag, { get: boom }),
      });
    }
    return Object.defineProperty(message(), key, { value });
  });

const aMessage = fc.constant(() => message());

/** Lists that are not what they seem: with holes, of any length, changed later. */
const list = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: aMessage },
        forged,
        fc.anything().map((value) => () => value),
      ),
      { maxLength: 4 },
    ),
    fc.constantFrom('plain', 'sparse', 'holes', 'live', 'proxy', 'length', 'long', 'frozen'),
    fc.constantFrom<unknown>(-1, 1.5, Number.NaN, Infinity, 2 ** 32, '3', null, 10n, {}),
  )
  .map(([items, kind, length]) => () => {
    const made: unknown[] = items.map((item) => item());
    if (kind === 'sparse') return Object.assign([], { length: 3 });
    if (kind === 'holes') made[made.length + 2] = message();
    if (kind === 'live') setTimeout(() => made.push(null, 'later'), 1);
    if (kind === 'proxy') return new Proxy(made, { get: boom });
    if (kind === 'length') {
      return new Proxy(made, {
        get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)),
      });
    }
    if (kind === 'long') return Array.from({ length: 200_000 }).fill(message());
    return kind === 'frozen' ? Object.freeze(made) : made;
  });

const said: fc.Arbitrary<() => unknown> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom<() => unknown>(
      () => undefined,
      () => null,
      () => [],
    ),
  },
  { weight: 4, arbitrary: list },
  { weight: 2, arbitrary: aMessage },
  { weight: 3, arbitrary: forged },
  { weight: 2, arbitrary: fc.anything().map((value) => () => value) },
  { weight: 1, arbitrary: fc.constant(boom) },
);

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const way: fc.Arbitrary<Way> = fc.constantFrom<Way[]>(
  (value) => value(),
  async (value) => value(),
  async (value) => {
    await later(1);
    return value();
  },
  async (value) => {
    // After the timeout: it must be nobody's rejection and no answer.
    await later(60);
    return value();
  },
  () => new Promise(() => {}),
  (value) => Promise.reject(value()),
  () => Promise.reject(new Error(`rejected https://u:${secret}@h`)),
  (value) => ({ then: (done: (outcome: unknown) => void) => done(value()) }),
  (value) => ({
    then(done: (outcome: unknown) => void, fail: (thrown: unknown) => void) {
      done(value());
      fail(new Error('twice'));
      done(value());
      boom();
    },
  }),
  () => ({ then: boom }),
  () => ({ then: () => {} }),
  () => Object.defineProperty({}, 'then', { get: boom }),
  () => new Proxy({}, { get: boom, has: boom }),
);

const asked = new WeakSet<HealthCore>();

const deed: fc.Arbitrary<Deed> = fc.constantFrom<Deed[]>(
  () => {},
  (health) => health.heartbeat(),
  (_health, _context, ask) => ask(),
  (health) => {
    // Once: each heartbeat would cause the next.
    if (!asked.has(health)) void later(0).then(() => health.heartbeat());
    asked.add(health);
  },
  (_health, context) => Object.assign(context, { finish: boom, name: 5 }),
  (_health, context) => Reflect.apply(Reflect.get(context, 'finish') ?? (() => {}), context, [[]]),
);

/** A check that behaves in a way nobody thought of. */
export const hostileCheck: fc.Arbitrary<(health: HealthCore, ask: () => unknown) => Check> = fc
  .tuple(deed, way, said)
  .map(([act, deliver, value]) => (health, ask) => (context) => {
    act(health, context, ask);
    // Wrong types on purpose: callers in JavaScript have no compiler.
    return deliver(value) as ReturnType<Check>;
  });

/** A function of the user where a plain one is expected. */
export const hostileFunction: fc.Arbitrary<() => unknown> = fc.tuple(way, said).map(
  ([deliver, value]) =>
    () =>
      deliver(value),
);

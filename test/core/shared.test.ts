import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

/** The package loaded twice, as by an application of ES modules with a CommonJS plugin. */
async function twoCopies() {
  const load = async () => {
    vi.resetModules();
    const [messages, request, signals, turn, shared] = await Promise.all([
      import('../../src/core/heartbeat/messages.js'),
      import('../../src/core/request/request.js'),
      import('../../src/core/heartbeat/signals.js'),
      import('../../src/core/request/deferred.js'),
      import('../../src/core/shared.js'),
    ]);
    return { messages, request, signals, turn, shared };
  };
  const one = await load();
  const other = await load();
  expect(one.messages).not.toBe(other.messages);
  return [one, other] as const;
}

const [one, other] = await twoCopies();

describe('two copies of the package', () => {
  it('have one emitter of signals', () => {
    expect(one.signals.signals).toBe(other.signals.signals);
  });

  it('know the request that the other runs', () => {
    const context = new one.request.RequestContext({ givenId: 'abc' });
    expect(one.request.runInRequest(context, () => other.request.requestId())).toBe('abc');
    expect(other.request.runInRequest(context, () => one.request.requestId())).toBe('abc');
    expect(other.request.requestId()).toBeUndefined();
  });

  it('end one turn: a signal that one hears writes what the other has waiting', () => {
    const done: string[] = [];
    one.turn.defer(() => done.push('one'));
    other.turn.defer(() => done.push('other'));
    one.turn.flushDeferred();
    expect(done).toEqual(['one', 'other']);
  });

  it('keep an object of each name once, whichever asks first', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (name, swapped) => {
        const [first, second] = swapped ? [other, one] : [one, other];
        const key = `test.${name}`;
        const made = first.shared.shared(key, () => ({}));
        expect(second.shared.shared(key, () => ({}))).toBe(made);
      }),
    );
  });
});

describe('a message of another copy', () => {
  const kinds = ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const;

  it('is an instance of its own kind and of no other', () => {
    for (const kind of kinds) {
      const message = new other.messages[kind]('text', { id: 'a' });
      expect(message).toBeInstanceOf(one.messages.CheckMessage);
      for (const each of kinds) expect(message instanceof one.messages[each]).toBe(each === kind);
    }
  });

  it('is no instance of a class that somebody derived here', () => {
    class DiskWarning extends one.messages.Warning {}
    class CopyWarning extends other.messages.Warning {}
    const derived = new CopyWarning('text', { id: 'a' });
    expect(derived instanceof one.messages.Warning).toBe(true);
    expect(derived instanceof DiskWarning).toBe(false);
    expect(new one.messages.Warning('text', { id: 'a' }) instanceof DiskWarning).toBe(false);
    expect(new DiskWarning('text', { id: 'a' }) instanceof DiskWarning).toBe(true);
  });

  it('nothing else is an instance', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        for (const kind of kinds) expect(value instanceof one.messages[kind]).toBe(false);
        expect(value instanceof one.messages.CheckMessage).toBe(false);
      }),
    );
  });
});

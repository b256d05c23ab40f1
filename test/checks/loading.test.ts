import { describe, expect, it, onTestFinished } from 'vitest';
import { loading } from '../../src/checks/loading.js';
import type { Check } from 'lifesign/checks';
import { currentRequest, RequestContext, runInRequest } from '../../src/core/request/request.js';

const context = { signal: new AbortController().signal, name: 'tested' };
const request = () => new RequestContext({ givenId: 'id' });
/** A turn of the event loop: every promise that can settle has. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the code of a check', () => {
  it('is loaded when the check is made, for no request, and made into one check', async () => {
    const seen: unknown[] = [];
    let made = 0;
    let arrive = (_code: string) => {};
    const load = () => {
      seen.push(currentRequest());
      return new Promise<string>((resolve) => {
        arrive = resolve;
      });
    };
    const check = runInRequest(request(), () =>
      loading('late', load, (code) => {
        made += 1;
        seen.push(currentRequest());
        return () => void seen.push(code);
      }),
    );
    expect(check.name).toBe('late');
    expect(seen).toEqual([undefined]);
    arrive('code');
    await turn();
    expect(made).toBe(1);
    await runInRequest(request(), () => check(context));
    await check(context);
    expect(made).toBe(1);
    expect(seen).toEqual([undefined, undefined, 'code', 'code']);
  });

  it('is made for no request where a run has to load it', async () => {
    const seen: unknown[] = [];
    let isThere = false;
    const load = async () => {
      seen.push(currentRequest());
      if (!isThere) throw new Error('gone');
    };
    const check = loading('again', load, () => {
      seen.push(currentRequest());
      return () => [];
    });
    await turn();
    isThere = true;
    expect(await runInRequest(request(), () => check(context))).toEqual([]);
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it('is waited for by all who come before it is there, and made once', async () => {
    const arrivals: (() => void)[] = [];
    let made = 0;
    const check = loading(
      'early',
      () => new Promise<void>((resolve) => void arrivals.push(resolve)),
      () => {
        made += 1;
        return async () => [];
      },
    );
    const runs = Promise.all([check(context), check(context)]);
    for (const arrive of arrivals) arrive();
    expect(await runs).toEqual([[], []]);
    expect(made).toBe(1);
  });

  it('that comes when the time of a run is up is not run for it', async () => {
    let arrive = () => {};
    let runs = 0;
    const load = () =>
      new Promise<void>((resolve) => {
        arrive = resolve;
      });
    const check = loading('too_late', load, () => () => void (runs += 1));
    const ended = new AbortController();
    const run = Promise.resolve(check({ ...context, signal: ended.signal }));
    ended.abort(new Error('its time is up'));
    arrive();
    await expect(run).rejects.toThrow('its time is up');
    expect(runs).toBe(0);
    await check(context);
    expect(runs).toBe(1);
  });

  it('that cannot be loaded fails the check alone, and is loaded again by the next run', async () => {
    const unhandled: unknown[] = [];
    const note = (thrown: unknown) => void unhandled.push(thrown);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    let isThere = false;
    const load = () =>
      isThere ? Promise.resolve('code') : Promise.reject(new Error('Cannot find module /srv/app/sql.js'));
    const check: Check = loading('gone', load, () => () => []);
    await turn();
    await expect(async () => check(context)).rejects.toThrow('Its code cannot be loaded');
    isThere = true;
    expect(await check(context)).toEqual([]);
    await turn();
    expect(unhandled).toEqual([]);
  });
});

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { checks, type HeartbeatEvent } from 'lifesign';
import { signals } from 'lifesign/signals';
import { makeHealth } from '../make-health.js';

test('the signals are on node:diagnostics_channel', async () => {
  const { health } = makeHealth();
  health.check('storage', () => [new checks.Error('Gone', { id: 'a.E' })]);
  const heard: unknown[] = [];
  const listener = (event: unknown) => heard.push(event);
  subscribe('lifesign.heartbeatFailed', listener);
  subscribe('lifesign.heartbeatPassed', listener);
  await health.heartbeat();
  unsubscribe('lifesign.heartbeatFailed', listener);
  unsubscribe('lifesign.heartbeatPassed', listener);
  expect(heard).toMatchObject([
    { level: 40, status: 'error', health, report: { checks: { storage: 'error' } } },
  ]);
});

test('on, once and off, on the object and module-wide', async () => {
  const { health } = makeHealth();
  const heard: string[] = [];
  const always = () => heard.push('always');
  const wide = ({ health: whose }: HeartbeatEvent) => whose === health && heard.push('wide');
  health.on('heartbeatPassed', always).once('heartbeatPassed', () => heard.push('once'));
  signals.on('heartbeatPassed', wide);
  await health.heartbeat();
  await health.heartbeat();
  health.off('heartbeatPassed', always);
  signals.off('heartbeatPassed', wide);
  await health.heartbeat();
  expect(heard).toEqual(['always', 'once', 'wide', 'always', 'wide']);
});

test('to remove a listener that was never added changes nothing', async () => {
  const { health } = makeHealth();
  const heard: string[] = [];
  expect(health.off('heartbeatPassed', () => {})).toBe(health);
  health.on('heartbeatPassed', () => heard.push('kept')).off('heartbeatPassed', () => {});
  await health.heartbeat();
  expect(heard).toEqual(['kept']);
});

test('off takes a listener away that once has added', async () => {
  const { health } = makeHealth();
  const heard: string[] = [];
  const listener = () => heard.push('once');
  health.once('heartbeatPassed', listener).off('heartbeatPassed', listener);
  await health.heartbeat();
  expect(heard).toEqual([]);
});

test('off takes the latest of equal listeners, and a list that is in use is not changed', async () => {
  const { health } = makeHealth();
  const heard: string[] = [];
  const twice = () => heard.push('twice');
  health.on('heartbeatPassed', twice).on('heartbeatPassed', () => heard.push('between'));
  health.on('heartbeatPassed', twice).off('heartbeatPassed', twice);
  health.once('heartbeatPassed', () => void health.off('heartbeatPassed', twice));
  await health.heartbeat();
  await health.heartbeat();
  expect(heard).toEqual(['twice', 'between', 'between']);
});

test('a signal that does not exist is never sent, and asking for it breaks nothing', () => {
  const { health } = makeHealth();
  for (const name of ['toString', '__proto__', 'heartbeat']) {
    expect(Reflect.apply(health.on, health, [name, () => {}])).toBe(health);
    expect(Reflect.apply(health.once, health, [name, () => {}])).toBe(health);
    expect(() => Reflect.apply(signals.listenerCount, signals, [name])).not.toThrow();
  }
});

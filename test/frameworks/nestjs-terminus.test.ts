import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { describe, expect, test } from 'vitest';
import { type Health, HealthModule, type NestSettings } from 'lifesign/nestjs';
import { create, settingsWith, start } from './nest-app.js';

type Mood = 'up' | 'degraded' | 'down' | 'bad';
let mood: Mood = 'up';

/** An indicator as the documentation of @nestjs/terminus writes it. */
class DogHealthIndicator {
  readonly indicators: HealthIndicatorService;
  constructor(indicators: HealthIndicatorService) {
    this.indicators = indicators;
  }
  async isHealthy(key: string) {
    const indicator = this.indicators.check(key);
    if (mood === 'up') return indicator.up();
    if (mood === 'degraded') return indicator.degraded('sleepy');
    if (mood === 'bad') return indicator.down({ badboys: 1, reason: 'no food' }) as never;
    return indicator.down({ message: 'ran away, password=hunter2' });
  }
}
Inject(HealthIndicatorService)(DogHealthIndicator, undefined, 0);
Injectable()(DogHealthIndicator);
class Cat extends DogHealthIndicator {}

/** An error as the indicators of @nestjs/terminus 10 throw it. */
const legacy = () => {
  throw Object.assign(new Error('Dogcheck failed'), {
    causes: { dog: { status: 'down', error: 'ran away' } },
  });
};
const broken = async () => {
  throw new Error('not an indicator');
};

const messagesOf = async (health: Health) =>
  (await health.heartbeat()).results.flatMap(({ name, status, messages }) =>
    messages.map(({ id, text }) => [name, status, id, text]),
  );

type Entries = Exclude<NestSettings['HEALTH_CHECKS'], undefined>;
const dog = 'DogHealthIndicator';
test.each<[string, Mood, Entries, unknown[]]>([
  ['up', 'up', [DogHealthIndicator], []],
  [
    'degraded',
    'degraded',
    [DogHealthIndicator],
    [[dog, 'warning', 'health.E020', `${dog} is degraded: sleepy`]],
  ],
  [
    'down',
    'down',
    [DogHealthIndicator],
    [[dog, 'error', 'health.E020', `${dog} is down: ran away, password=***`]],
  ],
  [
    'down, under a name of its own',
    'bad',
    [{ cat: Cat }],
    [['cat', 'error', 'health.E020', 'cat is down: badboys: 1, reason: no food']],
  ],
  [
    'of @nestjs/terminus 10, which throws its result',
    'up',
    [{ legacy }],
    [['legacy', 'error', 'health.E020', 'dog is down: ran away']],
  ],
  [
    'not one: any other error stays health.E011',
    'up',
    [{ broken }],
    [['broken', 'error', 'health.E011', expect.any(String)]],
  ],
])('an indicator that is %s', async (_, now, HEALTH_CHECKS, expected) => {
  mood = now;
  const health = await start(
    { HEALTH_CHECKS },
    {
      imports: [TerminusModule, HealthModule.forRoot(settingsWith({ HEALTH_CHECKS }).settings)],
      providers: [DogHealthIndicator, Cat],
    },
  );
  expect(await messagesOf(health)).toEqual(expected);
});

describe('the data of an indicator', () => {
  const data = {
    badboys: 1,
    reason: 'no food',
    password: 'hunter2',
    nested: { deep: [1, 2] },
    gone: undefined,
    error: new Error('E'),
  };

  test.each([
    [
      'without a message',
      {},
      'dog is down: E (badboys: 1, reason: no food, password: ***, nested: {"deep":[1,2]}, gone: undefined)',
    ],
    ['with one', { message: 'ran away' }, 'dog is down: ran away (error: E, badboys: 1, reason: no food,'],
  ])('%s is in the message, in the fields of the log and on the page', async (_, more, text) => {
    const check = () => ({ dog: { status: 'down' as const, ...data, ...more } });
    const made = await create({ HEALTH_CHECKS: [{ dog: check }], page: true, summary: false });
    const origin = await made.listen();
    const [body, page] = await Promise.all(
      ['/__heartbeat__', '/__health__'].map(async (path) => (await fetch(origin + path)).text()),
    );
    expect(JSON.parse(body ?? '')).toMatchObject({
      details: { dog: { messages: { 'health.E020': expect.stringContaining(text) } } },
    });
    expect(made.records[0]?.fields).toMatchObject({
      badboys: 1,
      reason: 'no food',
      password: '***',
      nested: '{"deep":[1,2]}',
      check: 'dog',
      ...more,
    });
    expect(page).toContain('badboys: 1, reason: no food');
    expect(JSON.stringify([body, made.records, page])).not.toContain('hunter2');
  });
});

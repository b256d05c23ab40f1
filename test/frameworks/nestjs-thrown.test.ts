// What the application throws is in its summary. Also run on NestJS 11.
import {
  type ArgumentsHost,
  Catch,
  HttpException,
  type MiddlewareConsumer,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { describe, expect, test } from 'vitest';
import { noteError } from 'lifesign/nestjs';
import { applyHealth, controller, create, on, type Parts, platforms } from './nest-app.js';

const broken = (where: string) => {
  throw new Error(`${where} is broken`);
};

interface Reply {
  status(code: number): { send(body: string): void };
}

/** Answers for itself what the application throws. */
class Answering {
  catch(thrown: unknown, host: ArgumentsHost) {
    noteError(host.switchToHttp().getRequest(), thrown);
    host.switchToHttp().getResponse<Reply>().status(500).send('{}');
  }
}

class Known extends Error {}

/** A filter of the whole application, which knows nothing of lifesign. */
class AnsweringAll {
  readonly name = 'mine';
  catch(thrown: unknown, host: ArgumentsHost) {
    host
      .switchToHttp()
      .getResponse<Reply>()
      .status(500)
      .send(`${this.name}: ${String(thrown)}`);
  }
}
Catch(Known)(AnsweringAll);

const Broken = controller({
  known() {
    throw new Known('known is broken');
  },
  handler: () => broken('handler'),
  async later() {
    await Promise.resolve();
    return broken('later');
  },
  filtered: () => broken('filtered'),
  guarded() {},
  refused() {
    throw new HttpException('not for you', 403);
  },
  fine: () => ({}),
});
on(Broken.prototype, 'filtered', UseFilters(new Answering()));
on(Broken.prototype, 'guarded', UseGuards({ canActivate: () => broken('guarded') }));

async function start(adapter: NonNullable<Parts['adapter']>, filter = new AnsweringAll()) {
  const configure = (consumer: MiddlewareConsumer) => {
    applyHealth(consumer);
    consumer.apply(() => broken('middle')).forRoutes('middle');
  };
  const made = await create({}, { controllers: [Broken], adapter, configure });
  made.app.useGlobalFilters(filter);
  return { ...made, origin: await made.listen() };
}

describe.each(platforms)('$platform: what the application throws', ({ adapter }) => {
  test('is in the summary, whoever answers it', async () => {
    const places = ['handler', 'later', 'filtered', 'known', 'guarded', 'middle'];
    const { origin, summariesOf } = await start(adapter);
    for (const where of places) expect((await fetch(`${origin}/${where}`)).status).toBe(500);
    expect(await summariesOf(places.length)).toMatchObject(
      places.map((where) => ({
        level: 40,
        msg: `${where} is broken`,
        fields: { path: `/${where}`, code: 500, errno: 500 },
      })),
    );
  });

  test('what is not a failure is no error in the log', async () => {
    const { origin, summariesOf } = await start(adapter);
    for (const path of ['refused', 'fine', 'nowhere']) await fetch(`${origin}/${path}`);
    const found = await summariesOf(3);
    expect(found.map(({ fields }) => fields['code'])).toEqual([403, 200, 404]);
    expect(found.filter(({ level, msg }) => level !== 20 || msg !== undefined)).toEqual([]);
  });

  test('Nest and the filters of the application answer as without lifesign, and get their members back', async () => {
    const filter = new AnsweringAll();
    const { app, origin } = await start(adapter, filter);
    const bodies = ['handler', 'known', 'refused'].map(async (path) =>
      (await fetch(`${origin}/${path}`)).text(),
    );
    expect(await Promise.all(bodies)).toEqual([
      '{"statusCode":500,"message":"Internal server error"}',
      'mine: Error: known is broken',
      '{"statusCode":403,"message":"not for you"}',
    ]);
    const config = app.get(ApplicationConfig);
    // An interceptor would make Nest run every request through rxjs.
    expect(config.getGlobalInterceptors()).toEqual([]);
    await app.close();
    expect([config.getGlobalFilters(), Object.keys(filter)]).toEqual([[filter], ['name']]);
  });
});

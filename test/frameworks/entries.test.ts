import { createServer } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, test } from 'vitest';
import * as coreEntry from 'lifesign';
import * as expressEntry from 'lifesign/express';
import * as fastifyEntry from 'lifesign/fastify';
import * as fetchEntry from 'lifesign/fetch';
import * as honoEntry from 'lifesign/hono';
import * as koaEntry from 'lifesign/koa';
import * as nodeEntry from 'lifesign/node';

const entries = {
  express: { Health: expressEntry.Health, app: () => express() },
  fastify: { Health: fastifyEntry.Health, app: () => Fastify() },
  fetch: { Health: fetchEntry.Health, app: () => ({ fetch: () => new Response('Hello') }) },
  hono: { Health: honoEntry.Health, app: () => new Hono() },
  koa: { Health: koaEntry.Health, app: () => new Koa() },
  node: { Health: nodeEntry.Health, app: () => createServer() },
};

test('the entry without a framework names the others', () => {
  // @ts-expect-error It names them in its type too.
  // oxlint-disable-next-line import/namespace -- the type hides it
  const make = () => new coreEntry.Health();
  expect(make).toThrow(expect.objectContaining({ code: 'LIFESIGN_ENTRY' }));
  for (const name of Object.keys(entries)) expect(make).toThrow(`lifesign/${name}`);
});

describe.each(Object.entries(entries))('a Health of %s', (_name, { Health, app }) => {
  type Made = { readonly options: { readonly failLevel: string }; initApp(app: object): unknown };
  const make = (...args: readonly unknown[]): Made => Reflect.construct(Health, args);
  const options = { failLevel: 'error', summary: false };

  test('is made with an application, with options, with both or with nothing', () => {
    expect(make().options.failLevel).toBe('warning');
    expect(make(app()).options.failLevel).toBe('warning');
    expect(make(options).options.failLevel).toBe('error');
    expect(make(undefined, options).options.failLevel).toBe('error');
    // An application that is not there.
    expect(() => make(undefined)).toThrow(expect.objectContaining({ code: 'LIFESIGN_APP' }));
    expect(make(app(), options).options.failLevel).toBe('error');
  });

  test('that was given an application has it, one that was given options takes it later', () => {
    const twice = expect.objectContaining({ code: 'LIFESIGN_APP_TWICE' });
    const first = app();
    make(first);
    expect(() => make(options).initApp(first)).toThrow(twice);
    const second = app();
    make(options).initApp(second);
    expect(() => make(options).initApp(second)).toThrow(twice);
  });

  test('refuses what is neither an application nor options', () => {
    expect(() => make({ failLevl: 'error' })).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_UNKNOWN' }),
    );
    const invalid = expect.objectContaining({ code: 'LIFESIGN_APP' });
    expect(() => make(options, options)).toThrow(invalid);
    expect(() => make().initApp({})).toThrow(invalid);
    for (const wrong of [5, 'app', [], new Map(), Symbol('app')]) expect(() => make(wrong)).toThrow(invalid);
  });
});

test.each(Object.entries(entries).filter(([name]) => name !== 'express'))(
  'the default version path of %s is the current directory',
  (_name, { Health }) => {
    const { options }: { options: { versionPath: string } } = Reflect.construct(Health, []);
    expect(options.versionPath).toBe(process.cwd());
  },
);

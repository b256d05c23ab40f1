// Decorators are written by hand: this file is run as it stands.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { body, ready } from './checks.mjs';

class Hello {
  hello() {
    return body;
  }
}
route(Hello, 'hello', '/');

function route(target, method, path) {
  Get(path)(target.prototype, method, Object.getOwnPropertyDescriptor(target.prototype, method));
  Controller()(target);
}

async function make(metadata, prepare = () => {}) {
  const App = class {};
  prepare(App);
  Module(metadata)(App);
  const app = await NestFactory.create(App, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return app.getHttpServer();
}

export const bare = () => make({ controllers: [Hello] });

export const lifesign = async (options, checks) => {
  const { HealthMiddleware, HealthModule } = await import('lifesign/nestjs');
  const HEALTH_CHECKS = Array.from({ length: checks }, (_, index) =>
    Object.defineProperty(async () => [], 'name', { value: `check_${index}` }),
  );
  const settings = {
    BASE_DIR: import.meta.dirname,
    DEBUG: true,
    HEALTH_CHECKS,
    ...options,
  };
  return make({ imports: [HealthModule.forRoot(settings)], controllers: [Hello] }, (App) => {
    App.prototype.configure = (consumer) => consumer.apply(HealthMiddleware).forRoutes('{*path}');
  });
};

const indicator = (name) => async () => {
  await ready();
  return { [name]: { status: 'up' } };
};

export const terminus = async () => {
  const { HealthCheckService, TerminusModule } = await import('@nestjs/terminus');
  class Health {
    constructor(health) {
      this.health = health;
    }
    live() {
      return this.health.check([]);
    }
    ready() {
      return this.health.check([indicator('a'), indicator('b'), indicator('c')]);
    }
  }
  Reflect.defineMetadata('design:paramtypes', [HealthCheckService], Health);
  route(Health, 'live', '/live');
  route(Health, 'ready', '/ready');
  return make({ imports: [TerminusModule], controllers: [Hello, Health] });
};

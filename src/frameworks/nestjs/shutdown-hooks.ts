import { constants } from 'node:os';
import { ShutdownSignal } from '@nestjs/common';
import { ModulesContainer, NestApplicationContext } from '@nestjs/core';
import { replace } from '../../core/replace.js';

type Enabled = (signals: readonly NodeJS.Signals[]) => void;

const waiting = new Map<ModulesContainer, Enabled>();
let restore: (() => void) | undefined;

/**
 * Calls `enabled` with the signals that the application of these modules shuts down on: draining must begin before Nest calls the first
 * `onModuleDestroy`, and no hook of a module comes earlier. Stops with the returned function.
 */
export function onShutdownHooks(modules: ModulesContainer, enabled: Enabled): () => void {
  waiting.set(modules, enabled);
  restore ??= watchEnabling();
  return () => {
    waiting.delete(modules);
    if (waiting.size > 0) return;
    restore?.();
    restore = undefined;
  };
}

function watchEnabling(): () => void {
  const { prototype } = NestApplicationContext;
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to its application
  const { enableShutdownHooks: original } = prototype;
  return replace(prototype, 'enableShutdownHooks', function watched(this: NestApplicationContext, ...args) {
    Reflect.apply(original, this, args);
    const [given = []] = args;
    const names = given.length > 0 ? given : Object.values(ShutdownSignal);
    const signals = names.map((name) => name.toUpperCase().trim()).filter(isSignal);
    waiting.get(this.get(ModulesContainer, { strict: false }))?.(signals);
    return this;
  });
}

function isSignal(name: string): name is NodeJS.Signals {
  return name in constants.signals;
}

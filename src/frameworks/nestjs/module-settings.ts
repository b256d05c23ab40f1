import type { FactoryProvider, ModuleMetadata, Provider } from '@nestjs/common';
import { shown } from '../../core/options/errors.js';
import { settingsInvalid } from '../../profiles/settings/errors.js';
import type { NestSettings } from './container.js';
import { isRecord } from '../../core/objects.js';

/**
 * Settings from the container.
 *
 * @example HealthModule.forRootAsync({ inject: [ConfigService], useFactory: (config: ConfigService) => ({ BASE_DIR: config.getOrThrow('BASE_DIR') }) })
 */
export interface AsyncSettings extends Pick<ModuleMetadata, 'imports'> {
  /** The tokens of the factory's arguments. */
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...injected: never[]) => NestSettings | Promise<NestSettings>;
}

export const settingsToken = Symbol('lifesign.settings');

/** The provider of settings that a factory returns. */
export function asyncProvider(given: AsyncSettings): Provider {
  const example = 'useFactory: () => ({ BASE_DIR: process.cwd() })';
  // In JavaScript it may be missing.
  const {
    inject = [],
    useFactory: make,
  }: { inject?: FactoryProvider['inject']; useFactory?: FactoryProvider['useFactory'] } = given ?? {};
  if (typeof make !== 'function') {
    throw settingsInvalid(
      'HealthModule.forRootAsync got no settings',
      `Write HealthModule.forRootAsync({ ${example} })`,
    );
  }
  const source = 'useFactory of HealthModule.forRootAsync returned';
  return {
    provide: settingsToken,
    inject,
    useFactory: async (...injected: unknown[]) => requireSettings(await make(...injected), source, example),
  };
}

/** The settings; throws if they are not an object. */
export function requireSettings(given: unknown, source: string, instead: string): NestSettings {
  if (isRecord(given)) {
    const settings: object = given;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- SettingsHealth reads each setting by its rule, and refuses names that it does not know
    return settings as NestSettings;
  }
  const what =
    given === undefined || given === null ? 'no settings' : `${shown(given)}, which is not a settings object`;
  throw settingsInvalid(`${source} ${what}`, `Write ${instead}`);
}

/** Settings that depend on a request: Nest would make neither Health nor its module, and say nothing. */
export const perRequest = () =>
  settingsInvalid(
    'The settings of HealthModule.forRootAsync are request-scoped: a provider in inject, or one of its dependencies, has the scope REQUEST',
    'Health is created once, at start: inject providers with the default scope',
  );

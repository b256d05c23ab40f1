import type { FactoryProvider, ModuleMetadata, Provider, Type } from '@nestjs/common';
import { shown } from '../../core/options/errors.js';
import { settingsInvalid } from '../../profiles/settings/errors.js';
import { inCapitals } from '../../profiles/settings/capitals.js';
import type { NestOptions, NestSettings } from './container.js';
import { isObject, isRecord } from '../../core/objects.js';

/**
 * A class that creates the settings, for `useClass` and `useExisting`.
 *
 * @example
 * @Injectable()
 * class HealthConfig implements HealthSettingsFactory { createHealthSettings() { return { BASE_DIR: process.cwd() }; } }
 */
export interface HealthSettingsFactory {
  createHealthSettings(): NestSettings | NestOptions | Promise<NestSettings | NestOptions>;
}

/**
 * Settings from the container: one of `useFactory`, `useClass` and `useExisting`.
 *
 * @example HealthModule.forRootAsync({ inject: [ConfigService], useFactory: (config: ConfigService) => ({ BASE_DIR: config.getOrThrow('BASE_DIR') }) })
 */
export interface AsyncSettings extends Pick<ModuleMetadata, 'imports'> {
  /** The tokens of the factory's arguments. */
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory?: (
    ...injected: never[]
  ) => NestSettings | NestOptions | Promise<NestSettings | NestOptions>;
  /** A class with `createHealthSettings`, which is instantiated. */
  readonly useClass?: Type<HealthSettingsFactory>;
  /** The same, if a module already provides it. */
  readonly useExisting?: Type<HealthSettingsFactory> | string | symbol;
  /** Additional providers for the factory, besides those of `imports`. */
  readonly extraProviders?: Provider[];
}

export const settingsToken = Symbol('lifesign.settings');

/** The providers of settings that the container makes. */
export function asyncProviders(given: AsyncSettings | undefined): Provider[] {
  const { inject = [], useFactory, useClass, useExisting, extraProviders = [] } = given ?? {};
  if (useFactory !== undefined) {
    const make: FactoryProvider['useFactory'] = useFactory;
    return [...extraProviders, madeBy(inject, 'useFactory', make)];
  }
  const token = useClass ?? useExisting;
  if (token === undefined) {
    throw settingsInvalid(
      'HealthModule.forRootAsync got no settings',
      'Write HealthModule.forRootAsync({ useFactory: () => ({ BASE_DIR: process.cwd() }) }), or useClass or useExisting',
    );
  }
  const make = (factory: unknown): unknown => {
    if (isFactory(factory)) return factory.createHealthSettings();
    throw settingsInvalid(
      `${useClass === undefined ? 'useExisting' : 'useClass'} of HealthModule.forRootAsync is ${shown(factory)}`,
      'It must have a createHealthSettings() method',
    );
  };
  const made = madeBy([token], 'createHealthSettings()', make);
  return [...extraProviders, ...(useClass === undefined ? [] : [useClass]), made];
}

function madeBy(
  inject: NonNullable<FactoryProvider['inject']>,
  source: string,
  make: (...injected: unknown[]) => unknown,
): Provider {
  return {
    provide: settingsToken,
    inject,
    useFactory: async (...injected: unknown[]) =>
      requireSettings(
        await make(...injected),
        `${source} of HealthModule.forRootAsync returned`,
        `${source === 'useFactory' ? 'useFactory: () => ' : 'return '}({ BASE_DIR: process.cwd() })`,
      ),
  };
}

/** Settings with their names in capitals; throws if they are not an object. */
export function requireSettings(given: unknown, source: string, instead: string): NestSettings {
  if (isRecord(given)) {
    const settings: object = inCapitals(given);
    // oxlint-disable-next-line typescript/consistent-type-assertions -- SettingsHealth reads each setting by its rule, and refuses names that it does not know
    return settings as NestSettings;
  }
  const what =
    given === undefined || given === null ? 'no settings' : `${shown(given)}, which is not a settings object`;
  throw settingsInvalid(`${source} ${what}`, `Write ${instead}`);
}

function isFactory(value: unknown): value is HealthSettingsFactory {
  return (
    isObject(value) && 'createHealthSettings' in value && typeof value.createHealthSettings === 'function'
  );
}

/** Settings that depend on a request: Nest would make neither Health nor its module, and say nothing. */
export const perRequest = () =>
  settingsInvalid(
    'The settings of HealthModule.forRootAsync are request-scoped: a provider in inject, or one of its dependencies, has the scope REQUEST',
    'Health is created once, at start: inject providers with the default scope',
  );

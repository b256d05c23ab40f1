import type { IncomingMessage } from 'node:http';
import type { HttpContext } from '@adonisjs/core/http';
import { type Settings, SettingsHealth } from '../../profiles/settings/settings.js';
import type { AdonisCheck } from './check.js';

/** The settings of profile A on AdonisJS. */
export interface AdonisSettings extends Settings<
  AdonisCheck | (new (...args: never[]) => AdonisCheck),
  never,
  HttpContext
> {}

/**
 * Profile A's health object. Ask the container for it to add checks or to listen to the signals.
 *
 * @example const health = await app.container.make(Health);
 */
export class Health extends SettingsHealth<IncomingMessage, HttpContext> {}

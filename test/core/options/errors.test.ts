import { expect, test } from 'vitest';
import * as ofChecks from '../../../src/checks/recognise.js';
import * as ofTheCore from '../../../src/core/options/errors.js';
import * as ofSettings from '../../../src/profiles/settings/errors.js';

const cause = new Error('it is not there\nand more of it');
class Storage {}
function reachable() {}

const errors = { ...ofTheCore, ...ofChecks, ...ofSettings };

/** Every coded error as a user may see it, in all of its forms. Made in the test, where a mutant counts. */
const made = (): readonly InstanceType<typeof errors.LifesignError>[] => [
  errors.messageIdMissing('Warning', undefined),
  errors.messageTextInvalid('Error', 7),
  errors.checkNameMissing(),
  errors.checkDuplicate('storage'),
  errors.checkNotFunction(null),
  errors.checkNotFunction(null, 'Another problem.'),
  errors.entryInvalid(['a', 'b', 'c'], 'which is not a pair'),
  errors.checkUnknown('Group "payments" names', 'stroage', ['database', 'storage']),
  errors.checkUnknown('Group "payments" names', 'zebra', ['database', 'storage']),
  errors.checkUnknown('Group "payments" names', 'zebra', []),
  errors.decoratorMisplaced('check', 'field'),
  errors.decoratorLegacy('check', 'storageReachable'),
  errors.decoratorLegacy('versionCallback', 'version'),
  errors.optionInvalid('Option timeout', 'x'.repeat(61), 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', 'x'.repeat(60), 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', Storage, 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', reachable, 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', () => {}, 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', new Storage(), 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', Object.create(null), 'an integer', 'Correct it.'),
  errors.optionInvalid('Option timeout', Symbol('s'), 'an integer', 'Correct it.'),
  errors.optionUnknown('tmieout', ['timeout', 'summary']),
  errors.optionUnknown('tmieout', ['timeout', 'summary'], 'of check storage'),
  errors.portInvalid('http'),
  errors.appInvalid('an Express application', undefined, 'new Health(express())'),
  errors.appTwice('Express application'),
  errors.appStarted('Fastify application', cause),
  errors.drainTwice(),
  errors.watchdogUnsupported(),
  errors.watchdogTwice(),
  errors.watchdogPortTaken('0.0.0.0:8001', 'EADDRINUSE', false),
  errors.watchdogPortTaken('0.0.0.0:8001', 'EADDRINUSE', true),
  errors.watchdogEnded('out of memory', 'It is started anew.'),
  errors.versionCallbackInvalid('1.0.0'),
  errors.clientUnsupported('db', 'postgres://user:secret@host/db', ['pg', 'knex']),
  errors.clientUnsupported('db', new Storage(), ['pg', 'knex']),
  errors.baseDirInvalid('missing'),
  errors.settingsInvalid('The settings are no object', 'Write an object'),
  errors.importPathInvalid('HEALTH_CHECKS', './checks.js.x', 'it has no export x', { cause }),
  errors.healthMiddlewareMissing(),
  errors.healthProviderMissing(),
  errors.connectionInvalid('db', 'names no connection'),
  errors.notInContainer('HEALTH_CHECKS', Symbol('DB'), cause, 'Provide it.'),
  errors.notInContainer('HEALTH_CHECKS', Storage, 'It is not there.', 'Provide it.'),
  errors.moduleTwice(),
];

test('each says what is wrong and what to write', async () => {
  const texts = made().map(({ code, message }) => `${code}\n${message}\n`);
  await expect(texts.join('\n')).toMatchFileSnapshot('errors.txt');
});

test('each is a LifesignError, with its cause where there is one', () => {
  for (const error of made()) {
    expect(error).toBeInstanceOf(errors.LifesignError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('LifesignError');
  }
  expect(
    made()
      .filter((error) => error.cause === cause)
      .map(({ code }) => code),
  ).toEqual(['LIFESIGN_APP_STARTED', 'LIFESIGN_IMPORT_PATH', 'LIFESIGN_CONTAINER']);
});

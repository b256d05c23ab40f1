import { expect, test } from 'vitest';
import { scrub } from '../../../src/core/scrub/scrub.js';

test.each(Array.from('azAZ09').map((first) => `${first}pin=hunter2x9 rest`))(
  '%s is another name than pin',
  (text) => {
    expect(scrub(text)).toBe(text);
  },
);

test.each(['pin', ' pin', '"pin', '/pin', ',pin', '(pin', '_pin', '-pin', '.pin', '$pin', 'épin'])(
  'a value of %j is hidden',
  (name) => {
    expect(scrub(`${name}=hunter2x9 rest`)).toBe(`${name}=*** rest`);
  },
);

test.each(['api_key', 'api-key', 'api.key', 'API_KEY', 'my.api-key'])('%s is one name', (name) => {
  expect(scrub(`${name}=hunter2x9 rest`)).toBe(`${name}=*** rest`);
  expect(scrub('key=hunter2x9 rest')).toBe('key=hunter2x9 rest');
});

test.each([
  // Left out.
  'password=',
  'password:',
  'password=\nhost=db',
  'password=\r\nhost=db',
  'password= host=db',
  // Hidden already.
  'password=*** rest',
  // A scheme, a sentence, a placeholder, a word of a program, a count.
  'token://host/x',
  'password: //host/x',
  'password: is wrong',
  'password: <password>',
  'password: <your password here>',
  'password=null',
  'password=undefined rest',
  'password=1',
  'password=123',
  'password: 123',
  'session=12',
  'session: 12',
  // Of a name that may mean something else, after a colon, only what looks random.
  'session: abcdef',
  'session: a1b2c',
])('%j holds no secret', (text) => {
  expect(scrub(text)).toBe(text);
});

test.each([
  ['password= hunter2x rest', 'password= *** rest'],
  ['password:  hunter2x rest', 'password:  *** rest'],
  ['password=1234', 'password=***'],
  ['password: 1234', 'password: ***'],
  ['session=1234', 'session=***'],
  ['session=abcdef', 'session=***'],
  ['session: a1b2c3d4e5', 'session: ***'],
  ['session: "abc"', 'session: ***'],
  ["password: 'x'", 'password: ***'],
  ['password: (a', 'password: ***'],
  ['password: [1, 2]', 'password: ***'],
  ['password: /etc/x', 'password: ***'],
  ['password="true"', 'password=***'],
  ['apikey: {"a":"x"}', 'apikey: ***'],
])('%j becomes %j', (text, scrubbed) => {
  expect(scrub(text)).toBe(scrubbed);
});

test.each(['AccountKey', 'password', 'token', 'secret'])('a value of %s that begins with slashes', (name) => {
  const text = `DefaultEndpointsProtocol=https;${name}=//ru4KYvWRahM1dyHwDek9bFJOxS4V8==;EndpointSuffix=core.windows.net`;
  expect(scrub(text)).toBe(`DefaultEndpointsProtocol=https;${name}=***;EndpointSuffix=core.windows.net`);
});

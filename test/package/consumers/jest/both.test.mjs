import { createRequire } from 'node:module';
import { checks } from 'lifesign';
import { signals } from 'lifesign/signals';

const require = createRequire(import.meta.url);

it('ES modules and CommonJS in one test file have one state', () => {
  const other = require('lifesign');
  expect(other.checks.Warning).not.toBe(checks.Warning);
  expect(other.signals).toBe(signals);
});

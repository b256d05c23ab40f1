import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resources } from '@opentelemetry/sdk-node';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { versionDetector } from 'lifesign/otel';
import { until } from '../../core/waiting.js';
import { type Exported, startShop } from './start.js';

const version = { version: '1.2.3', commit: 'abc', source: 'https://bob:pw@host.example/acme/shop.git' };
const identity = {
  'service.version': '1.2.3',
  'vcs.ref.head.revision': 'abc',
  'vcs.repository.url.full': 'https://host.example/acme/shop',
};

/** A directory with this version.json. */
function versionPath(text = JSON.stringify(version)): string {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'version.json'), text);
  return directory;
}

function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

async function detected(): Promise<object> {
  const found = resources.detectResources({ detectors: [versionDetector] });
  await found.waitForAsyncAttributes?.();
  return found.attributes;
}

describe('the resource detector', () => {
  test('has the type of the SDK', () => {
    expectTypeOf(versionDetector).toExtend<resources.ResourceDetector>();
  });

  test('finds the build of version.json', async () => {
    setVariables({ HEALTH_VERSION_PATH: versionPath() });
    expect(await detected()).toEqual(identity);
  });

  test('leaves out what OTEL_RESOURCE_ATTRIBUTES sets, also percent-encoded', async () => {
    setVariables({
      HEALTH_VERSION_PATH: versionPath(),
      OTEL_RESOURCE_ATTRIBUTES: 'a=b, service%2Eversion = 9%2C1,%E0%A4%A=x,,vcs.ref.head.revision',
    });
    expect(await detected()).toEqual({ 'vcs.repository.url.full': identity['vcs.repository.url.full'] });
  });

  test.each(['', '[]', '{', '"text"', '{"version":{},"commit":[1],"source":"git@host:acme/shop"}', '{}'])(
    'finds nothing in %j, and does not throw',
    async (text) => {
      setVariables({ HEALTH_VERSION_PATH: versionPath(text) });
      expect(await detected()).toEqual({});
    },
  );
});

test('spans and metrics of an application name the build', async () => {
  const shop = await startShop('plain.cjs', { HEALTH_VERSION_PATH: versionPath(), DETECT: 'true' });
  await shop.get('/orders/1');
  let found: Exported['resources'] = [];
  await until(async () => {
    ({ resources: found } = await shop.exported());
    return found.length > 1 && found.every((resource) => 'vcs.repository.url.full' in resource);
  });
  for (const resource of found) expect(resource).toMatchObject({ ...identity, 'service.name': 'shop' });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign';
import { makeHealth } from '../metrics/make.js';
import { valueOf } from '../metrics/parse.js';
import { issue } from './issue.js';

const name = 'lifesign_certificate_expiry_timestamp_seconds';
const folder = mkdtempSync(join(tmpdir(), 'lifesign-'));
const file = join(folder, 'tls.crt');
afterAll(() => rmSync(folder, { recursive: true }));

const expiryOf = (cert: string) => Date.parse(new X509Certificate(cert).validTo) / 1000;

function make() {
  const made = makeHealth({ metrics: true });
  onTestFinished(() => made.health.close());
  return made;
}

it('is when the certificate that expires first does, whatever the check says of it', async () => {
  const { health, scrape } = make();
  const [good, soon, expired] = [issue(-1, 90), issue(-1, 10), issue(-30, -3)].map(({ cert }) => cert);
  writeFileSync(file, `${good}${soon}`);
  health.check('ingress', checks.certificate({ file }));
  health.check('other', () => []);
  expect((await scrape()).has(name)).toBe(false);
  await health.heartbeat();
  expect((await scrape()).get(name)).toMatchObject({
    type: 'gauge',
    samples: [{ labels: { check: 'ingress' }, value: expiryOf(soon ?? '') }],
  });
  for (const cert of [good ?? '', expired ?? '']) {
    writeFileSync(file, cert);
    await health.heartbeat();
    expect(valueOf(await scrape(), name)).toBe(expiryOf(cert));
  }
  // A file that is gone for a moment does not end an alert.
  rmSync(file);
  await health.heartbeat();
  expect(valueOf(await scrape(), name)).toBe(expiryOf(expired ?? ''));
});

it('belongs to each check, also of several applications in a process', async () => {
  const [first, second] = [make(), make()];
  const certs = [issue(-1, 20).cert, issue(-1, 40).cert];
  for (const [at, { health }] of [first, second].entries()) {
    writeFileSync(`${file}${at}`, certs[at] ?? '');
    health.check('certificate', checks.certificate({ file: `${file}${at}` }));
    await health.heartbeat();
  }
  expect(valueOf(await first.scrape(), name)).toBe(expiryOf(certs[0] ?? ''));
  expect(valueOf(await second.scrape(), name)).toBe(expiryOf(certs[1] ?? ''));
});

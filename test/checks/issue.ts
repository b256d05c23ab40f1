import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const day = 86_400_000;

/** A self-signed certificate for `localhost`, valid between two days from now. */
export function issue(from: number, to: number): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'lifesign-'));
  const at = (name: string) => join(folder, name);
  const date = (days: number) =>
    new Date(Date.now() + days * day).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  try {
    writeFileSync(at('index'), '');
    writeFileSync(
      at('config'),
      `[ca]\ndefault_ca = own\n[own]\ndatabase = ${at('index')}\nnew_certs_dir = ${folder}\nrand_serial = yes\ndefault_md = sha256\npolicy = any\nx509_extensions = names\n` +
        '[any]\ncommonName = supplied\n[names]\nsubjectAltName = DNS:localhost\nbasicConstraints = CA:TRUE\n',
    );
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', at('key')];
    const run = (...given: string[]) => execFileSync('openssl', given, { stdio: 'pipe' });
    run('req', '-new', ...key, '-subj', '/CN=localhost', '-out', at('request'));
    const dates = ['-startdate', date(from), '-enddate', date(to)];
    const ca = ['ca', '-selfsign', '-batch', '-notext', '-config', at('config'), '-keyfile', at('key')];
    run(...ca, ...dates, '-in', at('request'), '-out', at('cert'));
    return { key: readFileSync(at('key'), 'utf8'), cert: readFileSync(at('cert'), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

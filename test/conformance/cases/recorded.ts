import { strict as assert } from 'node:assert';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckMessage } from 'lifesign/checks';
import { checks } from 'lifesign';
import { type Case, get } from '../case.js';
import type { RunningHost, Setup } from '../host.js';

/** Answers recorded from another implementation of the same contract, those that hold here too. */
interface Recorded {
  readonly scenario: string;
  readonly path: string;
  readonly versionFile?: { readonly text?: string; readonly bytes_b64?: string; readonly kind?: string };
  readonly versionCallback?: 'none' | 'raises';
  readonly checks?: readonly {
    readonly name: string;
    readonly async?: boolean;
    readonly returns: readonly { level: keyof typeof kinds; msg: string; id: string; hint?: string }[];
  }[];
  readonly silenced?: readonly string[];
  readonly failedStatusCode?: number;
  readonly status: number;
  readonly body?: unknown;
}

const kinds = {
  Debug: checks.Debug,
  Info: checks.Info,
  Warning: checks.Warning,
  Error: checks.Error,
  Critical: checks.Critical,
};

/** Makes the version file what it was; without one there is none. */
async function placeFile({ versionFile }: Recorded, directory: string): Promise<void> {
  const file = join(directory, 'version.json');
  await rm(file, { recursive: true, force: true });
  if (versionFile?.text !== undefined) await writeFile(file, versionFile.text);
  if (versionFile?.bytes_b64 !== undefined)
    await writeFile(file, Buffer.from(versionFile.bytes_b64, 'base64'));
  if (versionFile?.kind === 'directory') await mkdir(file);
  if (versionFile?.kind === 'dangling symlink') await symlink(join(directory, 'nowhere'), file);
}

function setupOf(recorded: Recorded, directory: string): Setup {
  const { versionCallback, silenced, failedStatusCode } = recorded;
  return {
    options: {
      versionPath: directory,
      ...(silenced !== undefined && { silencedChecks: silenced }),
      ...(failedStatusCode !== undefined && { failedStatusCode }),
    },
    checks: (recorded.checks ?? []).map(({ name, returns, async: later }) => {
      const messages = (): CheckMessage[] =>
        returns.map(
          ({ level, msg, id, hint }) => new kinds[level](msg, { id, ...(hint !== undefined && { hint }) }),
        );
      return [name, later === true ? async () => messages() : messages] as const;
    }),
    ...(versionCallback !== undefined && {
      versionCallback: () => {
        if (versionCallback === 'raises') throw new Error('raised');
        return null;
      },
    }),
  };
}

/** A Warning fails here, as SPEC 4 says; the recorded implementation let it pass. */
function expectedStatus({ status, body }: Recorded): number {
  const warned = typeof body === 'object' && body !== null && Reflect.get(body, 'status') === 'warning';
  return warned ? 500 : status;
}

const file = new URL('../recorded.json', import.meta.url);

async function assertRecorded(recorded: Recorded, host: RunningHost): Promise<void> {
  const reply = await get(host, recorded.path);
  assert.equal(reply.status, expectedStatus(recorded), recorded.scenario);
  assert.equal(reply.headers['content-type'], 'application/json');
  if (recorded.body !== undefined) assert.deepEqual(JSON.parse(reply.body), recorded.body, recorded.scenario);
  else assert.equal(typeof JSON.parse(reply.body).error, 'string', recorded.scenario);
}

export async function recordedCases(): Promise<readonly Case[]> {
  const list: Recorded[] = JSON.parse(await readFile(file, 'utf8'));
  const isOfFile = ({ path, versionCallback }: Recorded) =>
    path === '/__version__' && versionCallback === undefined;
  return [
    {
      name: 'recorded: /__version__ of each file',
      setup: (directory) => ({ options: { versionPath: directory } }),
      async run(host, directory) {
        for (const recorded of list.filter(isOfFile)) {
          await placeFile(recorded, directory);
          await assertRecorded(recorded, host);
        }
      },
    },
    ...list
      .filter((recorded) => !isOfFile(recorded))
      .map((recorded): Case => ({
        name: `recorded: ${recorded.scenario} ${recorded.path}`,
        setup: (directory) => setupOf(recorded, directory),
        run: (host) => assertRecorded(recorded, host),
      })),
  ];
}

import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checks, createHandler, type HealthOptions } from 'lifesign';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>;
}

const document: { readonly paths: Readonly<Record<string, { readonly get: Operation }>> } = JSON.parse(
  readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv({ strict: false }).addSchema(document, 'openapi');
const pointer = (...names: readonly string[]) =>
  names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');

/** What a response breaks of the description; undefined if nothing. */
function broken(path: string, status: number, type: string, body: string): string | undefined {
  const { responses } = document.paths[path]?.get ?? { responses: {} };
  const code = String(status) in responses ? String(status) : 'default';
  const media = type.split(';', 1)[0] ?? '';
  if (responses[code]?.content[media] === undefined) return `${path}: ${status} ${type} is not described`;
  const at = pointer('paths', path, 'get', 'responses', code, 'content', media, 'schema');
  const value: unknown = media === 'application/json' ? JSON.parse(body) : body;
  const validate = ajv.getSchema(`openapi#/${at}`);
  if (validate === undefined) return `${at} is not there`;
  return validate(value) === true ? undefined : `${path}: ${ajv.errorsText(validate.errors)}: ${body}`;
}

const all: HealthOptions = {
  logger: false,
  versionPath: '/nowhere',
  page: true,
  probes: true,
  metrics: true,
  groups: { payments: ['storage'] },
};

function handlerOf(options: HealthOptions = {}) {
  const handle = createHandler({ ...all, ...options });
  onTestFinished(() => handle.health.close());
  const ask = async (target: string) => {
    const answer = await handle('GET', target, { headers: {} });
    if (answer === undefined) throw new Error(`${target} is the application's`);
    const path = target.replace(/\?.*/, '').replace(/\/payments$/, '/{group}');
    return broken(path, answer.status, answer.headers['Content-Type'] ?? '', answer.body);
  };
  return { ...handle, ask, health: handle.health };
}

describe('schemas/openapi.json', () => {
  test('has every path that a Health answers, and no other', () => {
    const answers = createHandler(all);
    onTestFinished(() => answers.health.close());
    answers.health.check('storage', () => []);
    // Every path that a Health of this process answers.
    const shared: Map<string, Iterable<string>> = Reflect.get(globalThis, Symbol.for('lifesign.shared.1'));
    const own = [...(shared.get('paths') ?? [])].filter(
      (path) => !path.endsWith('/') && answers('GET', path, { headers: {} }) !== undefined,
    );
    expect(Object.keys(document.paths).toSorted()).toEqual(
      own.map((path) => path.replace(/\/payments$/, '/{group}')).toSorted(),
    );
  });

  test('describes what each of them answers, in every state', async () => {
    const targets = [...Object.keys(document.paths), '/readyz?verbose'].map((path) =>
      path.replace('{group}', 'payments'),
    );
    const states: readonly HealthOptions[] = [
      {},
      { details: false },
      { publicMessages: false, failedStatusCode: 503, page: true },
      { failLevel: 'error', probes: { startWhen: 'called' } },
    ];
    for (const options of states) {
      for (const messages of [[], [new checks.Warning('Slow', { id: 'a.W1', hint: 'Wait.' })]]) {
        const { ask, health } = handlerOf(options);
        health.check('storage', () => messages);
        for (const version of [undefined, { commit: 'abc', anything: [1] }, null]) {
          if (version !== undefined) health.versionCallback(() => version);
          for (const target of targets) expect(await ask(target)).toBe(undefined);
        }
        health.leave(true);
        for (const target of targets) expect(await ask(target)).toBe(undefined);
      }
    }
  });

  test('describes the report of any checks, and refuses one with more', async () => {
    const kinds = [checks.Debug, checks.Info, checks.Warning, checks.Error, checks.Critical];
    const message = fc.tuple(fc.constantFrom(...kinds), fc.string(), fc.string({ minLength: 1 }));
    const any = fc.dictionary(fc.string({ minLength: 1 }), fc.array(message, { maxLength: 3 }), {
      maxKeys: 4,
    });
    await fc.assert(
      fc.asyncProperty(any, async (given) => {
        const handle = createHandler({ logger: false });
        for (const [name, list] of Object.entries(given)) {
          handle.health.check(name, () => list.map(([Kind, text, id]) => new Kind(text, { id })));
        }
        const { status, body } = (await handle('GET', '/__heartbeat__', undefined)) ?? {
          status: 0,
          body: '',
        };
        handle.health.close();
        expect(broken('/__heartbeat__', status, 'application/json', body)).toBe(undefined);
        const more = JSON.stringify({ ...JSON.parse(body), more: 1 });
        expect(broken('/__heartbeat__', status, 'application/json', more)).toContain('additional');
      }),
      { numRuns: 30 },
    );
  });
});

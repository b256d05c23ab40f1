import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf } from '../src/explain/text.js';
import { errorSections } from '../src/explain/errors.js';
import { find, meant } from '../../src/explain/find.js';
import { messageSections } from '../../src/explain/messages.js';
import { inProcess, lifesignCli } from './run.js';

const sections = [...messageSections(), ...errorSections()];
const section = fc.constantFrom(...sections);

test('explains an id offline: what it means, what to check, how to silence it', async () => {
  const { code, stdout, stderr } = await inProcess(['explain', 'health.E001']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^health\.E001\n\nCannot connect to the database\. /);
  expect(stdout).toContain('nc -vz');
  expect(stdout).toContain("silencedChecks: ['health.E001']");
  expect(stdout).toContain("maxLevel: 'info'");
});

test('the built command has the same sections as the docs', async () => {
  const all = sections.map(({ id }) => id);
  const [built, read] = [await lifesignCli(['explain', ...all]), await inProcess(['explain', ...all])];
  expect(built).toEqual(read);
  expect(built.code).toBe(0);
});

test('an id may be written in any case and without its family', () => {
  fc.assert(
    fc.property(section, fc.func(fc.boolean()), ({ id }, upper) => {
      const anyCase = id.replace(/[a-z]/gi, (letter) =>
        upper(letter) ? letter.toUpperCase() : letter.toLowerCase(),
      );
      expect(find(sections, anyCase)?.id).toBe(id);
      expect(find(sections, anyCase.replace(/^(?:health\.|lifesign_)/i, ''))?.id).toBe(id);
    }),
  );
});

test('a misspelt id: exit code 2, and the nearest ones are named', async () => {
  const { code, stdout, stderr } = await inProcess(['explain', 'health.E01']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(
    /^lifesign-cli: Unknown message id or error code "health\.E01"; the nearest: .*health\.E001/,
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...sections.filter(({ id }) => id.startsWith('LIFESIGN_'))),
      fc.nat(),
      ({ id }, at) => {
        const place = 'LIFESIGN_'.length + (at % (id.length - 'LIFESIGN_'.length));
        const typo = id.slice(0, place) + id.slice(place + 1);
        expect(meant(sections, typo)).toContain(id);
      },
    ),
  );
});

test('an id of an application is told from one of ours; what was typed reaches no terminal unescaped', async () => {
  expect(await inProcess(['explain', 'shop.E001'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'lifesign-cli: "shop.E001" is not an id of lifesign, but of the application that reports it. See lifesign-cli explain --help. (LIFESIGN_USAGE)\n',
  });
  const { code, stderr } = await inProcess(['explain', '\u001B[2J\u202Ehealth']);
  expect(code).toBe(2);
  for (const sign of ['\u001B', '\u202E']) expect(stderr).not.toContain(sign);
  expect((await inProcess(['explain'])).code).toBe(2);
  expect((await inProcess(['explain', ''])).code).toBe(2);
  expect((await inProcess(['explain', '--list', 'health.E001'])).code).toBe(2);
});

test('--list and --json', async () => {
  const { stdout } = await inProcess(['explain', '--list']);
  expect(stdout.trimEnd().split('\n').length).toBe(sections.length);
  const list: { id: string; title: string }[] = JSON.parse(
    (await inProcess(['explain', '--list', '--json'])).stdout,
  );
  expect(list.map(({ id }) => id)).toEqual(sections.map(({ id }) => id));
  for (const { title } of list) expect(stdout).toContain(`${title}\n`);
  const [one] = JSON.parse((await inProcess(['explain', 'E012', '--json'])).stdout);
  expect(one).toMatchObject({ id: 'health.E012', silence: expect.stringContaining('health.E012') });
  expect(Object.keys(one)).toEqual(['id', 'title', 'text', 'silence']);
});

test('at any width: no line is longer than it must be, and no command is broken', () => {
  const plain = (_style: string, text: string) => text;
  fc.assert(
    fc.property(section, fc.integer({ min: 30, max: 120 }), (one, width) => {
      const [, ...lines] = textOf(one, plain, width).split('\n');
      const codes = one.blocks.flatMap(({ kind, pieces }) =>
        pieces.flatMap((piece) =>
          kind !== 'code' && typeof piece !== 'string' && piece[0] === 'code' ? [piece[1]] : [],
        ),
      );
      for (const code of codes) expect(lines.some((line) => line.includes(`\`${code}\``))).toBe(true);
      for (const line of lines) {
        if (line.length <= width) continue;
        // One command or word, with the punctuation around it.
        expect(
          line
            .trim()
            .replace(/^- /, '')
            .replaceAll(/`[^`]*`/g, ''),
        ).not.toContain(' ');
      }
      // Nothing is lost or added.
      const words = one.blocks.flatMap(({ pieces }) =>
        pieces.map((piece) => (typeof piece === 'string' ? piece : piece[1])),
      );
      const text = lines.join(' ').replaceAll(/[\s`-]/g, '');
      expect(text.startsWith(words.join('').replaceAll(/[\s`-]/g, ''))).toBe(true);
    }),
  );
});

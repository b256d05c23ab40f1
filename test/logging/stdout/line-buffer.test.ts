import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineBuffer } from '../../../src/logging/stdout/line-buffer.js';

const line = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => `${text.replaceAll('\n', ' ')}\n`);

it('pieces are whole lines, not longer than a piece unless one line is, and together they are what came in', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(line, { maxLength: 30 }), { maxLength: 5 }),
      fc.integer({ min: 1, max: 100 }),
      (turns, piece) => {
        const buffer = new LineBuffer(piece);
        const pieces: string[] = [];
        for (const lines of turns) {
          for (const one of lines) buffer.add(one);
          while (buffer.next()) {
            const { bytes, start } = buffer;
            const end = buffer.end();
            pieces.push(Buffer.from(bytes.subarray(start, end)).toString());
            buffer.written(end - start);
          }
          expect(buffer.size).toBe(0);
        }
        const all = Buffer.from(turns.flat().join('')).toString();
        expect(pieces.join('')).toBe(all);
        for (const one of pieces) {
          expect(one.endsWith('\n')).toBe(true);
          if (Buffer.byteLength(one) > piece) expect(one.indexOf('\n')).toBe(one.length - 1);
        }
      },
    ),
  );
});

it('a line of which a part is written is finished or skipped, never the next one', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 2, maxLength: 20 }),
      fc.nat(),
      fc.boolean(),
      (lines, cut, skip) => {
        const buffer = new LineBuffer(Infinity);
        for (const one of lines) buffer.add(one);
        buffer.next();
        const all = Buffer.from(buffer.bytes);
        const at = cut % all.length;
        buffer.written(at);
        if (skip) buffer.skipLine();
        const rest = Buffer.from(buffer.bytes.subarray(buffer.start)).toString();
        const ofLine = all.indexOf(10, at) + 1;
        expect(rest).toBe(all.subarray(skip ? ofLine : at).toString());
        buffer.startLine();
        expect(Buffer.from(buffer.bytes.subarray(buffer.start)).toString()).toBe(`\n${rest}`);
      },
    ),
  );
});

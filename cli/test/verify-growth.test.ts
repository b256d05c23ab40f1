import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpointRules } from '../src/verify/endpoint-rules.js';
import type { EndpointEvidence } from '../src/verify/evidence.js';
import type { Exchange } from '../src/http/exchange.js';
import { reportRules } from '../src/verify/report-rules.js';
import { judgeAll } from '../src/verify/rule.js';
import { webUrl, withoutCredentials } from '../../src/command/identity.js';

const expected = { failedStatusCode: 500, failLevel: 30, maxLatency: 1000 };
const rules = [...endpointRules('heartbeat', expected), ...reportRules(expected)];

/** Lets every rule look at a body and at headers made of a text. */
function judge(text: string): void {
  const short = text.slice(0, 8000);
  const headers = { vary: short, allow: short, location: short, 'content-encoding': short };
  const answer: Exchange = { status: 302, headers, body: Buffer.from(text), ms: 1 };
  const endpoint: EndpointEvidence = {
    gets: [answer, answer, answer],
    gzip: answer,
    unpacked: { body: answer.body },
    conditional: answer,
    head: answer,
    options: answer,
    refused: new Map([['POST', answer]]),
    slash: answer,
    query: answer,
    clients: new Map([['a Range', answer]]),
    noGzip: answer,
    strangers: new Map([['/__heartbeat__x', answer]]),
  };
  judgeAll(rules, { version: endpoint, heartbeat: endpoint, lbheartbeat: endpoint });
}

const subjects: Record<string, (text: string) => unknown> = {
  'the rules of verify': judge,
  'addresses of version': (text) => [webUrl(text), withoutCredentials('source', text)],
};

/** CPU time in milliseconds, the least of a few runs: what others do to the machine only adds. */
function milliseconds(run: () => unknown): number {
  let least = Infinity;
  for (let round = 0; round < 3; round += 1) {
    const started = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

// What the patterns themselves are made of, repeated in every order.
const unit = fc
  .array(
    fc.constantFrom(
      'a',
      'a.',
      '1',
      '-',
      ':',
      '://',
      '/',
      '@',
      '?',
      '#',
      ' ',
      ',',
      ', ',
      '=',
      'http://',
      '.git',
      '"',
      "'",
      '\n',
      '\\n',
      '\t',
      ' at ',
      ':1',
      ':1:',
      '\\n at ',
      'eyJ',
      'eyJ-',
      'user:',
      'password',
      '{',
      '[',
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((pieces) => pieces.join(''));

test.each(Object.entries(subjects))(
  '%s: eight times the text takes nowhere near sixty-four times as long',
  (_, subject) => {
    fc.assert(
      fc.property(unit, unit, (first, repeated) => {
        const text = (length: number) =>
          first + repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length);
        // A pattern that is to blame is so each time; a busy machine is not.
        const ratios = [];
        for (let attempt = 0; attempt < 4; attempt += 1) {
          const large = milliseconds(() => subject(text(128_000)));
          // Too short to be measured is short enough.
          if (large < 40) return;
          const ratio = large / milliseconds(() => subject(text(16_000)));
          if (ratio < 32) return;
          ratios.push(ratio);
        }
        expect({ first, repeated, ratios }).toBeUndefined();
      }),
      // Many checks of one host once took as long as the square of their number.
      { numRuns: 60, interruptAfterTimeLimit: 10_000, examples: [['', 'http://a,']] },
    );
  },
);

import { expect } from 'vitest';
import type { LogRecord } from 'lifesign';
import { until } from './serving.js';

/** A destination of pino that keeps the lines. */
export function lines(into: string[]): { write(line: string): void } {
  return { write: (line) => void into.push(line) };
}

/** Asks with ids and without: answer, lines of the logger and summary have one id for each request. */
export async function expectOneId(
  origin: string,
  written: readonly string[],
  summaries: () => readonly LogRecord[],
): Promise<void> {
  const given = [undefined, 'order-7', undefined, 'not an id \t', 'order-8', undefined];
  const ids = await Promise.all(
    given.map(async (id, index) => {
      const headers = id === undefined ? {} : { 'x-request-id': id };
      const body = index % 2 === 0 ? null : '{"things":[1]}';
      const method = body === null ? 'GET' : 'POST';
      const init = { method, body, headers: { ...headers, 'content-type': 'application/json' } };
      const response = await fetch(`${origin}/orders/${index}`, init);
      return response.text();
    }),
  );
  expect(new Set(ids).size).toBe(given.length);
  expect(ids.filter((id) => id.startsWith('order-'))).toEqual(['order-7', 'order-8']);
  await until(() => summaries().length === given.length && written.length >= 2 * given.length);
  const summarised = Object.fromEntries(summaries().map(({ fields }) => [fields['path'], fields['rid']]));
  expect(summarised).toEqual(Object.fromEntries(ids.map((id, index) => [`/orders/${index}`, id])));
  for (const line of written) {
    const { req } = JSON.parse(line) as { req: { id: string; url: string } };
    expect(req.id).toBe(ids[Number(req.url.split('/').at(-1))]);
  }
}

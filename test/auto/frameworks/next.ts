import { expect } from 'vitest';
import type { Running } from '../start.js';

/** The pages router, what stands before both, and a server action as a form sends it without JavaScript. */
export async function routersAndAction(app: Running, header: string): Promise<readonly string[]> {
  const legacy = await fetch(`${app.origin}/legacy`);
  expect(await legacy.text()).toContain('Hello from the pages router');
  expect(legacy.headers.get('x-fixture')).toBe(header);
  const page = await (await fetch(`${app.origin}/action`)).text();
  const body = new FormData();
  for (const [, name = ''] of page.matchAll(/name="(\$ACTION[^"]+)"/g)) body.set(name, '');
  const posted = await fetch(`${app.origin}/action`, { method: 'POST', body });
  expect(posted.status).toBe(200);
  await posted.text();
  expect(app.stderr()).toContain('an order was placed');
  return ['GET /legacy 200', 'GET /action 200', 'POST /action 200'];
}

// A link shortener on Hono with lifesign. The same file runs on Node (server.mjs), Bun and Deno: `bun run app.mjs`, `deno serve app.mjs`.
import { Hono } from 'hono';
import { checks, Health, requestId } from 'lifesign/hono';

const app = new Hono();
const health = new Health(app, { loggerName: 'links' });

const links = new Map([['docs', 'https://docs.example.com/']]);
let readOnly = false;

health.check('links', async () =>
  links.size > 0 ? [] : [new checks.Critical('No links', { id: 'links.C001' })],
);
health.check('writable', () => (readOnly ? [new checks.Info('Read-only', { id: 'links.I001' })] : []));
health.versionCallback(() => ({ version: '3.1.0' }));

app.get('/', (c) => c.json({ links: [...links.keys()], request: requestId() }));
app.get('/to/:name', (c) => {
  const target = links.get(c.req.param('name'));
  if (target === undefined) throw new Error(`no link ${c.req.param('name')}`);
  return c.redirect(target);
});
app.post('/read-only', (c) => {
  readOnly = true;
  links.clear();
  return c.json({ readOnly });
});
app.onError((error, c) => c.json({ error: error.message }, 500));

export default app;

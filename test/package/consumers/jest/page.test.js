const { Health } = require('lifesign/fetch');

it('what is loaded on demand is loaded', async () => {
  const db = { prepare: () => ({ all: () => [] }), exec() {} };
  const health = new Health(undefined, { db, page: true, summary: false });
  expect((await health.heartbeat()).status).toBe('ok');
  const page = await health.respond(new Request('http://localhost/__health__'));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<html');
});

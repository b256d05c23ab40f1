const { Health } = require('lifesign/fetch');

it('what is loaded on demand is loaded', async () => {
  const health = new Health(undefined, { page: true, summary: false });
  const page = await health.respond(new Request('http://localhost/__health__'));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<html');
});

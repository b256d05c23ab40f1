const express = require('express');
const { Health } = require('lifesign/express');

it('a request prints no stack: its line never goes through the console', async () => {
  const log = jest.spyOn(console, 'log');
  const app = express();
  const health = new Health(app);
  const server = app.listen(0);
  await fetch(`http://127.0.0.1:${server.address().port}/__lbheartbeat__`);
  await new Promise((resolve) => server.close(resolve));
  health.close();
  expect(log).not.toHaveBeenCalled();
});

// A to-do list on Koa with lifesign.
import Koa from 'koa';
import { checks, Health, listenOptions, requestId } from 'lifesign/koa';

const app = new Koa();
const health = new Health(app, { loggerName: 'todo' });

const tasks = ['water the plants'];

health.check(function manageable() {
  return tasks.length < 3
    ? []
    : [new checks.Warning(`${tasks.length} tasks wait`, { id: 'todo.health.W001' })];
});
health.versionCallback(() => ({ version: '0.9.0' }));

// Errors are handled here. Emitting them, as Koa's docs ask, puts them into the summary and the log.
app.use(async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    ctx.status = 500;
    ctx.body = { error: 'something broke' };
    ctx.app.emit('error', error, ctx);
  }
});
app.use((ctx) => {
  if (ctx.path === '/boom') throw new Error('out of water');
  if (ctx.method === 'POST') tasks.push('another task');
  ctx.body = { tasks, request: requestId() };
});

app.listen(listenOptions());

// Assets with a hash in their name for a year, everything else revalidated each time; a missing asset is not cached.
import Koa from 'koa';
import serve from 'koa-static';
import { Health, listenOptions } from 'lifesign/koa';

const app = new Koa();
new Health(app);

const year = 365 * 24 * 60 * 60 * 1000;
const assets = serve('public', { maxage: year, immutable: true });
const pages = serve('public', { setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache') });
app.use((ctx, next) => (ctx.path.startsWith('/assets/') ? assets : pages)(ctx, next));

app.listen(listenOptions());

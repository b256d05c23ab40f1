// Assets with a hash in their name for a year, everything else revalidated each time; a missing asset is not cached.
import express from 'express';
import { Health, listenOptions } from 'lifesign/express';

const app = express();
new Health(app);

app.use('/assets', express.static('public/assets', { immutable: true, maxAge: '1y', fallthrough: false }));
app.use(express.static('public', { setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache') }));

app.listen(listenOptions());

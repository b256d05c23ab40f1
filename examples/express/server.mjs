// A small shop on Express with lifesign: what `npm start` runs.
import express from 'express';
import { checks, Health, listenOptions, requestId } from 'lifesign/express';
import { openDatabase } from './database.mjs';

const { connection, db, migrations } = await openDatabase();
let storageIsSlow = false;

const app = express();
const health = new Health(app, {
  db,
  migrations,
  versionPath: import.meta.dirname,
  page: true,
  probes: true,
});

health.check(function storageReachable() {
  if (!storageIsSlow) return [];
  return [
    new checks.Warning('Storage answers slowly', { id: 'shop.health.W001', hint: 'See the storage runbook' }),
  ];
});

app.get('/', async (_req, res) => {
  const orders = await db.selectFrom('orders').selectAll().execute();
  res.json({ orders, request: requestId() });
});

// Two ways to see a failure: make the storage slow, or close the database for good.
app.post('/demo/storage', (_req, res) => {
  storageIsSlow = !storageIsSlow;
  res.json({ storageIsSlow });
});
app.post('/demo/database', (_req, res) => {
  connection.close();
  res.json({ database: 'closed' });
});

// In production a load balancer does this: the health page shows past heartbeats and never runs one itself.
await health.heartbeat();
setInterval(() => health.heartbeat(), 5000).unref();

const server = app.listen(listenOptions(), (error) => {
  if (error) throw error;
  const url = `http://localhost:${server.address().port}`;
  console.log(`A shop with lifesign listens on ${url}

  curl -i ${url}/__heartbeat__     the checks, and 200 while all of them pass
  curl -i ${url}/__version__       what is deployed
  curl -i ${url}/__lbheartbeat__   whether the process is up
  curl -i '${url}/readyz?verbose'  whether this instance should get traffic, and why
  ${url}/__health__                the same for people: open it in a browser

See a failure, and the cause of it in the report and in the log below:

  curl -X POST ${url}/demo/storage    a Warning of the shop's own check (again: it recovers)
  curl -X POST ${url}/demo/database   the database goes away for good: readyz still passes
`);
});

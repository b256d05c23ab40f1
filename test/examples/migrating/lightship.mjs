import express from 'express';
import lightshipModule from 'lightship';

const { createLightship } = lightshipModule;
const lightship = await createLightship({ shutdownDelay: Number(process.env.DRAIN_DELAY ?? 5000) });
const app = express();

app.get('/', (req, res) => {
  setTimeout(() => res.send('Hello, World!'), 200);
});

const server = app
  .listen(process.env.PORT ?? 8080, () => lightship.signalReady())
  .on('error', () => lightship.shutdown());

lightship.registerShutdownHandler(() => server.close());

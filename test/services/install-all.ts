// Installs what the tests need in one go, while `npm test` checks the sources; what cannot be had is said by the tests that need it.
import { tools as containers } from '../container/tools.js';
import installHosts from '../hosts/packages.js';
import { chromium } from './chromium.js';
import { install } from './install.js';
import { services } from './list.js';

const browser = process.env[chromium.variable] === undefined ? [chromium] : [];
await install([...Object.values(services), ...Object.values(containers), ...browser]).catch(
  (error: unknown) => console.warn(String(error)),
);
installHosts();

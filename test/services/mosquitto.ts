import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runProgram, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** An MQTT broker, for a user with a password. */
export const mosquitto: ServiceDefinition = {
  name: 'mosquitto',
  variable: 'MQTT_URL',
  commands: ['mosquitto', 'mosquitto_passwd'],
  directories: ['/usr/sbin'],
  packages: ['mosquitto'],
  onlyOwn: true,
  async start() {
    const directory = await serverDirectory('mosquitto');
    const port = await freePort();
    const passwords = join(directory, 'passwords');
    const settings = join(directory, 'mosquitto.conf');
    const passwd = locate(mosquitto, 'mosquitto_passwd');
    await runProgram(passwd, ['-b', '-c', passwords, 'planted_user', 'pl4nted-S3cret']);
    const lines = [
      // It gives up root otherwise, and could not read its settings.
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      `listener ${port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${passwords}`,
      'persistence true',
      `persistence_location ${directory}/`,
      'autosave_on_changes true',
      'autosave_interval 1',
    ];
    await writeFile(settings, `${lines.join('\n')}\n`);
    return runServer({
      command: locate(mosquitto, 'mosquitto'),
      args: ['-c', settings],
      port,
      directory,
      url: `mqtt://127.0.0.1:${port}`,
    });
  },
};

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What one instance of the fleet of a test exports. */
export interface Exported {
  readonly version: string;
  readonly commit: string;
  /** Seconds since 1970. */
  readonly started: number;
  readonly draining?: boolean;
  /** Levels of its checks by their names, each with the message id that goes with it. */
  readonly checks: Readonly<Record<string, { readonly level: number; readonly id: string }>>;
  /** Whether the scrape fails. */
  readonly down?: boolean;
}

/** One server for all instances: Prometheus scrapes `/0/metrics`, `/1/metrics` and so on. */
export async function exporter(instances: readonly Exported[]) {
  const server = createServer((req, res) => {
    const instance = instances[Number(/^\/(\d+)\/metrics/.exec(req.url ?? '')?.[1])];
    if (instance === undefined || instance.down === true) res.writeHead(500).end();
    else res.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' }).end(expositionOf(instance));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Named and shaped as the option `metrics` does it. */
function expositionOf({ version, commit, started, draining = false, checks }: Exported): string {
  const worst = Math.max(0, ...Object.values(checks).map(({ level }) => level));
  const lines = [
    `lifesign_build_info{commit="${commit}",version="${version}",build="",source=""} 1`,
    `lifesign_heartbeat_level ${worst}`,
    `lifesign_heartbeat_failed ${Number(worst >= 30)}`,
    `lifesign_draining ${Number(draining)}`,
    `lifesign_start_time_seconds ${started}`,
  ];
  for (const [check, { level, id }] of Object.entries(checks)) {
    lines.push(`lifesign_check_level{check="${check}"} ${level}`);
    lines.push(`lifesign_check_up{check="${check}"} ${Number(level < 30)}`);
    lines.push(`lifesign_check_last_success_timestamp_seconds{check="${check}"} ${started + 60}`);
    if (level > 0) lines.push(`lifesign_check_message{check="${check}",id="${id}"} ${level}`);
  }
  return `${lines.join('\n')}\n`;
}

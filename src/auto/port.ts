/** Which servers get a Health, by where they listen. */
export interface Where {
  readonly address: string;
  readonly port: number;
}

/** Why a server is left alone; undefined if it gets a Health. `served` are the ports of those that have one. */
export function reasonToLeave({ address, port }: Where, served: ReadonlySet<number>): string | undefined {
  const { HEALTH_AUTO_PORT, PORT } = process.env;
  const chosen = portOf(HEALTH_AUTO_PORT);
  const wanted = chosen ?? portOf(PORT);
  if (wanted !== undefined) {
    if (port === wanted) return undefined;
    return `${chosen === undefined ? 'PORT' : 'HEALTH_AUTO_PORT'} is ${wanted}`;
  }
  // The first server is the service, wherever it listens; later ones on a loopback address are diagnostics.
  if (!isLoopback(address) || served.size === 0 || served.has(port)) return undefined;
  return 'it listens on a loopback address, and another server has the endpoints';
}

/** A port to look for: 0 is any port, and anything but a number, such as the pipe of iisnode, is not a port. */
function portOf(text = ''): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

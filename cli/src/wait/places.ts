import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Io, usageInvalid } from '../../../src/tools.js';
import { credentialsIn, proxyFor } from '../http/proxy.js';
import type { Place } from './watch.js';
import { baseOf } from '../http/exchange.js';

export interface PlaceOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly insecure: boolean;
  readonly allAddresses: boolean;
}

/** The addresses of the services on the command line; with `allAddresses`, all addresses that their names have. */
export function placesOf(
  urls: readonly string[],
  options: PlaceOptions,
  io: Io,
): () => Promise<readonly Place[]> {
  const places = urls.map((given) => placeOf(given, options, io));
  const names = new Set(places.map(({ name }) => name));
  if (names.size < places.length) throw usageInvalid('The same URL was given twice');
  if (!options.allAddresses) return () => Promise.resolve(places);
  const proxied = places.find(({ service }) => service.proxy !== undefined);
  if (proxied !== undefined) {
    throw usageInvalid(
      `--all-addresses requests ${proxied.name} directly, but the environment sets a proxy for it; add its host to NO_PROXY`,
    );
  }
  return async () => (await Promise.all(places.map(addressesOf))).flat();
}

function placeOf(given: string, { headers, insecure }: PlaceOptions, io: Io): Place {
  const base = baseOf(given);
  const url = new URL(given);
  const proxy = proxyFor(url, io.env);
  const credentials = credentialsIn(url);
  // They are sent, and shown nowhere.
  const all = { ...(credentials && { Authorization: `Basic ${credentials.basic}` }), ...headers };
  return { name: base, service: { base, insecure, headers: all, ...(proxy && { proxy }) } };
}

/** A name that cannot be looked up, now, is a place that gives no answer: it may be there in a minute. */
async function addressesOf(place: Place): Promise<readonly Place[]> {
  const host = new URL(place.service.base).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [place];
  try {
    const found = await lookup(host, { all: true });
    const addresses = [...new Set(found.map(({ address }) => address))].toSorted();
    return addresses.map((address) => ({
      name: `${place.name} (${address})`,
      service: { ...place.service, address },
    }));
  } catch {
    return [place];
  }
}

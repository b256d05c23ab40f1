import { property } from '../client.js';
import { orAborted } from '../flight.js';
import { type Broker, closed } from './broker.js';
import type { PlatformaticClient } from './client-shapes.js';

/** A client of @platformatic/kafka asks for the versions of the API, which needs no permissions. */
export const platformaticKafka = (client: PlatformaticClient): Broker => ({
  name: 'Kafka',
  async ping({ signal }) {
    if (property(client, 'closed') === true) throw closed();
    await orAborted(client.listApis(), signal);
  },
});

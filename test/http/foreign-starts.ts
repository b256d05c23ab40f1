/** What others may publish on the channel on which Node publishes each request. */
export function foreignStarts(server: object): unknown[] {
  const parts = [undefined, null, 1, 'text', {}, { url: '/__heartbeat__' }, { url: '/', headers: null }];
  const messages = parts.flatMap((request) =>
    parts.flatMap((response) => [server, ...parts].map((each) => ({ request, response, server: each }))),
  );
  return [...parts, { request: {} }, { response: 'text' }, ...messages];
}

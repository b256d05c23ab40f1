import type { Asked, Spoil, Wire } from './service.js';

/** A change of right answers, and the rules of which one must object. */
export interface Mutation {
  readonly name: string;
  /** Any of them: several may see the same thing. */
  readonly finds: readonly string[];
  readonly spoil: Spoil;
  readonly args?: readonly string[];
}

export const endpoints = ['version', 'heartbeat', 'lbheartbeat'] as const;
export const pathOf = (endpoint: string) => `/__${endpoint}__`;

/** Which of the requests of an endpoint a mutation touches: a service that flaps spoils only some. */
export const moments: Readonly<Record<string, (asked: Asked) => boolean>> = {
  always: ({ kind }) => kind !== 'other',
  'the last time': ({ kind, nth, path }) => kind === 'plain' && nth === (path === '/__lbheartbeat__' ? 4 : 3),
  'with gzip': ({ kind }) => kind === 'gzip',
  'with If-None-Match': ({ kind }) => kind === 'conditional',
};

/** Spoils the GETs of an endpoint. */
export const onGet =
  (endpoint: string, change: (answer: Wire, asked: Asked) => void, when = moments['always']): Spoil =>
  (answer, asked) => {
    const [path] = asked.path.split('?');
    if (path === pathOf(endpoint) && when?.(asked) === true) change(answer, asked);
  };

/** Spoils the answers of an endpoint to one method. */
export const onMethod =
  (endpoint: string, method: string, change: (answer: Wire) => void): Spoil =>
  (answer, asked) => {
    if (asked.method === method && asked.path === pathOf(endpoint)) change(answer);
  };

export const header = (name: string, value?: string) => (answer: Wire) => {
  delete answer.headers[name];
  if (value !== undefined) answer.headers[name] = value;
};

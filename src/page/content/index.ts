import { type Answer, withGzip } from '../../core/endpoints.js';
import { answerBadge, answerEvents, answerPage, answerPageFull, answerPageJson } from './page-answers.js';
import type { Page, PageSource } from '../feature.js';
import { script, style } from './assets.js';
import { badge } from './badge.js';
import { Compressible, takesGzip } from './compress.js';
import { documentOf, pieceOf } from './document.js';
import { Rendering } from './events.js';
import { dataOf } from './json.js';
import { Feed } from './live.js';
import { look } from './view.js';

/** Milliseconds for which all readers get the same rendering, unless there is something new. */
const shared = 1000;

/** Opens the health page of a Health. It reads the history and runs no check. */
export async function openPage(source: PageSource): Promise<Page> {
  const hashes = { script: await sha256(script), style: await sha256(style) };
  const { history, page } = source;
  const feed = new Feed(history, page.connections);
  const revision = () => history.revision;
  const sideOf = (details: boolean) => {
    let before: Rendering | undefined;
    return {
      html: memory(revision, shared, async () => new Compressible(documentOf(await look(source, details)))),
      json: memory(revision, shared, async () => new Compressible(dataOf(await look(source, details)))),
      rendering: memory(
        () => feed.published,
        Infinity,
        async () => (before = new Rendering(pieceOf(await look(source, details, true)), before)),
      ),
    };
  };
  const inside = sideOf(true);
  const outside = sideOf(false);
  const picture = memory(revision, shared, async () => badge(await look(source, false)));

  return {
    async answer(resource, details, accepted, open) {
      const side = details ? inside : outside;
      const gzip = takesGzip(accepted);
      switch (resource) {
        case 'json':
          return compressed(await side.json(), gzip, answerPageJson);
        case 'events': {
          const stream = open ? feed.open(side.rendering, gzip) : unread;
          return stream === undefined ? answerPageFull : answerEvents(stream, gzip);
        }
        case 'badge':
          return answerBadge(await picture());
        default:
          return compressed(await side.html(), gzip, (html) => answerPage(html, hashes));
      }
    },
  };
}

/** HEAD gets none of it. */
const unread = (async function* (): AsyncGenerator<string> {})();

async function compressed(
  made: Compressible,
  gzip: boolean,
  answer: (text: string) => Answer,
): Promise<Answer> {
  return withGzip(answer(made.text), gzip ? await made.gzip() : undefined);
}

/** Makes something once for each state, named by `key`, and for `maxAge` milliseconds at most, however many ask for it. */
function memory<T>(key: () => number, maxAge: number, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly value: Promise<T>; readonly at: number; readonly key: number } | undefined;
  return () => {
    const now = performance.now();
    if (made === undefined || made.key !== key() || now - made.at > maxAge) {
      // One after the other, so that the last one made is the latest.
      const value = made === undefined ? make() : made.value.then(make, make);
      made = { value, at: now, key: key() };
    }
    return made.value;
  };
}

async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

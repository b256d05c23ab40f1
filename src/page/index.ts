import { answerBadge, answerEvents, answerPage, answerPageJson } from '../core/endpoints.js';
import type { Page, PageSource } from '../core/page.js';
import { script, style } from './assets.js';
import { badge } from './badge.js';
import { documentOf, pieceOf } from './document.js';
import { dataOf } from './json.js';
import { eventsOf } from './live.js';
import { look } from './view.js';

/** Milliseconds for which everybody who looks gets the same rendering, unless there is something new. */
const shared = 1000;

/** Opens the health page over what a Health knows. It reads the history and runs no check. */
export async function openPage(source: PageSource): Promise<Page> {
  const hashes = { script: await sha256(script), style: await sha256(style) };
  const once = <T>(make: () => Promise<T>) => memory(source, make);
  const sideOf = (details: boolean) => ({
    html: once(async () => documentOf(await look(source, details))),
    piece: once(async () => JSON.stringify(pieceOf(await look(source, details)))),
    json: once(async () => dataOf(await look(source, details))),
  });
  const inside = sideOf(true);
  const outside = sideOf(false);
  const picture = once(async () => badge(await look(source, false)));

  return {
    async answer(resource, details) {
      const side = details ? inside : outside;
      switch (resource) {
        case 'json':
          return answerPageJson(await side.json());
        case 'events':
          return answerEvents(eventsOf(source.history, side.piece));
        case 'badge':
          return answerBadge(await picture());
        default:
          return answerPage(await side.html(), hashes);
      }
    },
  };
}

/** Makes something once for each heartbeat and second at most, however many ask for it. */
function memory<T>({ history }: PageSource, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly value: Promise<T>; readonly at: number; readonly revision: number } | undefined;
  return () => {
    const now = performance.now();
    if (made === undefined || made.revision !== history.revision || now - made.at > shared) {
      made = { value: make(), at: now, revision: history.revision };
    }
    return made.value;
  };
}

async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

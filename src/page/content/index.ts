import { type Answer, json, text } from '../../core/endpoints.js';
import type { Page, PageSource } from '../feature.js';
import { script, style } from './assets.js';
import { documentOf, pieceOf } from './document.js';
import { dataOf } from './json.js';
import { look, type View } from './view.js';

/** Milliseconds for which all readers get the same rendering, unless there is something new. */
const shared = 1000;

/** Opens the health page of a Health. It reads the history and runs no check. */
export async function openPage(source: PageSource): Promise<Page> {
  const [ownScript, ownStyle] = await Promise.all([sha256(script), sha256(style)]);
  // A browser runs and loads only what this names.
  const headers = {
    'Content-Security-Policy': `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-${ownScript}'; style-src 'sha256-${ownStyle}'; img-src data:; connect-src 'self'`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  };
  const sideOf = (details: boolean) => {
    const rendered = (make: (view: View) => Answer) =>
      memory(
        () => source.history.revision,
        async () => make(await look(source, details)),
      );
    return {
      html: rendered((view) => text(200, 'text/html; charset=utf-8', documentOf(view), headers)),
      json: rendered((view) => json(200, dataOf(view))),
      live: rendered((view) => json(200, JSON.stringify(pieceOf(view)))),
    };
  };
  const inside = sideOf(true);
  const outside = sideOf(false);
  return { answer: (resource, details) => (details ? inside : outside)[resource]() };
}

/** Makes something once for each state, named by `key`, and for a second at most, however many ask for it. */
function memory<T>(key: () => number, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly value: Promise<T>; readonly at: number; readonly key: number } | undefined;
  return () => {
    const now = performance.now();
    if (made === undefined || made.key !== key() || now - made.at > shared) {
      made = { value: make(), at: now, key: key() };
    }
    return made.value;
  };
}

async function sha256(source: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

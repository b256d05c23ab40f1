import { type Answer, json, text } from '../core/endpoints.js';
import { script, style } from './assets.js';
import { checksTable } from './checks.js';
import { glyphs, Html, markup } from './html.js';
import { dataOf } from './json.js';
import { headline, identity, loopRow, timeline } from './sections.js';
import { type PageSource, type View, viewOf } from './view.js';

export { History } from './history.js';

/** The responses of the health page: the document, its data, and the part of the document that changes. */
export type PageResource = 'html' | 'json' | 'live';

/** The health page: everything it is asked for, with the details or without. */
export interface Page {
  answer(resource: PageResource, details: boolean): Promise<Answer>;
}

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
        async () => make(await viewOf(source, details)),
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

/** The part that changes from heartbeat to heartbeat: open pages ask for it. */
export interface Piece {
  readonly title: string;
  readonly status: string;
  readonly icon: string;
  readonly markup: string;
}

// Not in the template: compilers that protect this tag rewrite the whole template with a helper of theirs.
const scriptEnd = new Html('</script>');

/** The whole page. */
function documentOf(view: View): string {
  const piece = pieceOf(view);
  return markup`<!doctype html>
<html lang="en" data-status="${piece.status}"><head><meta charset="utf-8"><title>${piece.title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex"><link rel="icon" href="${piece.icon}">
<style>${new Html(style)}</style></head>
<body>${new Html(piece.markup)}
<p id="said" role="status" class="unseen"></p>
<script>${new Html(script)}${scriptEnd}</body></html>
`.toString();
}

/** The part of the page that is alive. */
function pieceOf(view: View): Piece {
  const status = view.state?.status ?? 'unknown';
  // Relative links also work behind a proxy that serves the application under a prefix.
  const name = view.pagePath.slice(view.pagePath.lastIndexOf('/') + 1);
  return {
    title: `${glyphs[status]} ${status} · ${view.service}`,
    status,
    icon: icon(status),
    markup: markup`<div id="live" data-now="${view.now}" data-stale="${view.staleAt}">
${headline(view)}
<main>${view.details && checksTable(view.details.checks, view)}${view.details?.block && loopRow(view.details.block, view)}${timeline(view)}${identity(view)}</main>
<footer><a href="${name}.json">JSON</a> <span>lifesign</span></footer></div>`.toString(),
  };
}

const iconColours: Readonly<Record<string, string>> = {
  warning: 'd98e04',
  error: 'c62828',
  critical: '7d1128',
  unknown: '7a828e',
};

function icon(status: string): string {
  const fill = iconColours[status] ?? '1a7f46';
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23${fill}'/%3E%3C/svg%3E`;
}

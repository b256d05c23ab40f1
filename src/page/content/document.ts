import { script, style } from './assets.js';
import { identity } from './build.js';
import { checksTable } from './checks.js';
import { headline } from './headline.js';
import { Html, markup } from './html.js';
import { loopRow } from './loop.js';
import { glyphs } from './pieces.js';
import { timeline } from './timeline.js';
import type { View } from './view.js';

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
export function documentOf(view: View): string {
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
export function pieceOf(view: View): Piece {
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

import { createHash } from 'node:crypto';
import { style as healthStyle } from '../../../src/page/content/assets.js';
import { age } from '../../../src/page/content/format.js';
import { clip, Html, markup, type Slot } from '../../../src/page/content/html.js';
import { clock, foreign, glyphs } from '../../../src/page/content/pieces.js';
import { explanations } from './explained.js';
import type { Fleet } from './fleet.js';
import { linkTo, type PageOptions, sectionOf } from './page-service.js';
import { fleetStyle } from './style.js';
import type { Watch } from './watch.js';

const style = healthStyle + fleetStyle;

/** The content security policy: only the style of this page. */
export const policy = `; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:`;

/** The view as a page without a script. */
export function pageOf(watch: Watch, options: PageOptions, every: number): string {
  const { fleet } = watch;
  const { status, word } = verdict(fleet);
  const services = options.service === undefined ? (fleet?.services ?? []) : [options.service];
  const sections = services.map((service) => sectionOf(service, fleet?.at ?? 0, options));
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${glyphs[status]} ${word} · fleet</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex"><link rel="icon" href="data:,">
<style>${new Html(style)}</style></head>
<body><header class="${status}">
<p class="top"><b>Fleet</b> <span>${foreign(clip(watch.address, 200))}</span> ${pace(options, every)}</p>
<h1><i aria-hidden="true">${glyphs[status]}</i><span>${word}</span></h1>
<p class="sentence">${sentence(fleet)}</p>
<p class="facts">${facts(watch, options)}</p>
</header>
<main>${sections}${explanations(services)}${fleet?.services.length === 0 && noSeries}</main>
<footer><a href="fleet.json">JSON</a> <span>lifesign</span></footer></body></html>
`.toString();
}

const noSeries = markup`<p class="empty">Prometheus has no series <code>lifesign_build_info</code>. Turn on the
<code>metrics</code> option in your applications and let Prometheus scrape them.</p>`;

/** The colour and the word of the top. */
function verdict(fleet: Fleet | undefined): { status: 'unknown' | 'ok' | 'error' | 'warning'; word: string } {
  if (fleet === undefined || fleet.services.length === 0) return { status: 'unknown', word: 'no data' };
  const { down, failing, unknown } = fleet.counts;
  if (down + failing > 0) return { status: 'error', word: `${down + failing} unhealthy` };
  return unknown > 0 ? { status: 'warning', word: `${unknown} unknown` } : { status: 'ok', word: 'all ok' };
}

function sentence(fleet: Fleet | undefined): string {
  if (fleet === undefined) return 'Prometheus has not answered yet';
  const { down, failing, gone } = fleet.counts;
  const total = Object.values(fleet.counts).reduce((sum, many) => sum + many, 0) - gone;
  if (total === 0) return 'No instances are scraped';
  const sick = [failing > 0 && `${failing} failing`, down > 0 && `${down} down`].filter(Boolean).join(', ');
  const where = `${total} instance${total === 1 ? '' : 's'} of ${fleet.services.length} service${fleet.services.length === 1 ? '' : 's'}`;
  return sick === '' ? `${where} are up and healthy` : `${where}: ${sick}`;
}

function facts({ fleet, problem, age: old }: Watch, { service, still }: PageOptions): readonly Slot[] {
  const why = problem !== undefined && markup`<span>${foreign(problem)}</span> `;
  if (fleet === undefined) return [why];
  const { draining, gone } = fleet.counts;
  return [
    // The style writes "out of date?" before it.
    markup`<span${problem !== undefined && markup` class="stale"`}>as of ${clock(fleet.at)}${problem !== undefined && `, ${age(old)} ago`}</span> `,
    why,
    draining > 0 && markup`<span><b>${draining}</b> draining</span> `,
    gone > 0 && markup`<span><b>${gone}</b> gone</span> `,
    fleet.warnings.map((warning) => markup`<span class="note">${foreign(warning)}</span> `),
    service !== undefined && markup`<span><a href="${linkTo(still, undefined)}">all services</a></span> `,
  ];
}

/** How often the page refreshes, and the link that stops it. */
function pace({ service, still }: PageOptions, every: number): Html {
  return markup`<span id="link"${!still && markup` class="live"`}>${still ? 'paused' : `every ${age(Math.max(1000, every))}`}
(<a href="${linkTo(!still, service?.name)}">${still ? 'refresh' : 'stop'}</a>)</span>`;
}

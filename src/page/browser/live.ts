// The only script of the page. It shows what the server rendered.
import { age } from '../content/format.js';
import type { Piece } from '../content/document.js';
import { type Edit, edited } from '../content/edits.js';

const firstDelay = 1000;
const maxDelay = 30_000;

let source: EventSource | undefined;
let wait = firstDelay;
let failures = 0;
let retry: ReturnType<typeof setTimeout> | undefined;
let retryAt = 0;
/** How much the server's clock is ahead of ours. */
let ahead = 0;
/** The markup of the last event: the next one contains the differences. */
let lines: readonly string[] = [];

const root = document.documentElement;

/** Times in the reader's time zone, and ages that keep counting. */
function refresh(part: ParentNode): void {
  const now = Date.now() + ahead;
  for (const time of part.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const text = 'age' in time.dataset ? age(now - at.getTime()) : local(at, now);
    if (time.textContent !== text) time.textContent = text;
  }
}

/** No event arrives when heartbeats stop: only the time shows it. */
function judge(): void {
  const staleAt = Number(document.getElementById('live')?.dataset['stale']);
  document.getElementById('beat')?.classList.toggle('stale', Date.now() + ahead > staleAt);
}

function local(at: Date, now: number): string {
  const sameDay = at.toDateString() === new Date(now).toDateString();
  return sameDay ? at.toLocaleTimeString() : at.toLocaleString();
}

/** Makes `old` like `fresh`, changing only the differences: focus, scrolling and opened parts stay. */
function morph(old: Element, fresh: Element): void {
  if (old.isEqualNode(fresh)) return;
  for (const { name } of Array.from(old.attributes)) {
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  }
  for (const { name, value } of Array.from(fresh.attributes)) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  let next = old.firstChild;
  for (const wanted of Array.from(fresh.childNodes)) {
    const kept = next !== null && alike(next, wanted) ? next : sameId(old, wanted);
    if (kept === next) next = next?.nextSibling ?? null;
    if (kept === null) old.insertBefore(wanted, next);
    else {
      if (kept.nextSibling !== next) old.insertBefore(kept, next);
      if (kept instanceof Element && wanted instanceof Element) morph(kept, wanted);
      else if (kept.nodeValue !== wanted.nodeValue) kept.nodeValue = wanted.nodeValue;
    }
  }
  while (next !== null) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

function alike(one: Node, other: Node): boolean {
  if (!(one instanceof Element && other instanceof Element)) return one.nodeType === other.nodeType;
  return one.tagName === other.tagName && one.id === other.id;
}

/** The child that carries the wanted one's id: entries that were pushed down are kept as they are. */
function sameId(old: Element, wanted: Node): ChildNode | null {
  return wanted instanceof Element && wanted.id !== '' ? old.querySelector(`:scope > #${wanted.id}`) : null;
}

function show({ title, status, icon }: News): void {
  const fresh = new DOMParser().parseFromString(lines.join('\n'), 'text/html').getElementById('live');
  const live = document.getElementById('live');
  if (fresh === null || live === null) return;
  const mark = fresh.querySelector('#link');
  const present = live.querySelector('#link');
  if (mark !== null && present !== null) mark.replaceWith(present.cloneNode(true));
  ahead = Number(fresh.dataset['now']) - Date.now();
  refresh(fresh);
  morph(live, fresh);
  judge();
  if (root.dataset['status'] !== status) {
    root.dataset['status'] = status;
    document.querySelector('link[rel=icon]')?.setAttribute('href', icon);
    const said = document.getElementById('said');
    const sentence = live.querySelector('.sentence')?.textContent ?? '';
    if (said !== null) said.textContent = `Status is now ${status}. ${sentence}.`;
  }
  document.title = title;
}

/** Shows whether the page is up to date. */
function mark(state: 'live' | 'lost' | 'joining', text: string): void {
  const link = document.getElementById('link');
  if (link === null) return;
  if (link.className !== state) link.className = state;
  if (link.textContent !== text) link.textContent = text;
}

/** The whole state comes first, then edits of the one before. */
type News = Omit<Piece, 'markup'> & ({ readonly markup: string } | { readonly edits: readonly Edit[] });

function isNews(value: unknown): value is News {
  return typeof value === 'object' && value !== null && ('markup' in value || 'edits' in value);
}

function connect(): void {
  clearTimeout(retry);
  retryAt = 0;
  source?.close();
  source = new EventSource(`${location.pathname.replace(/\/$/, '')}/events`);
  source.addEventListener('message', ({ data }) => {
    wait = firstDelay;
    failures = 0;
    const news: unknown = JSON.parse(data);
    if (isNews(news)) {
      lines = 'markup' in news ? news.markup.split('\n') : edited(lines, news.edits);
      show(news);
    }
    mark('live', 'live');
  });
  source.addEventListener('error', () => {
    // The browser would try again at a fixed pace, or not at all: a crowd must not fall upon a service that comes back.
    source?.close();
    failures += 1;
    const delay = wait * (0.75 + Math.random() / 2);
    wait = Math.min(wait * 2, maxDelay);
    retryAt = Date.now() + delay;
    retry = setTimeout(connect, delay);
    tick();
  });
}

function tick(): void {
  refresh(document);
  judge();
  // A proxy may end a stream now and then: not worth a message.
  if (failures < 2) return;
  const left = age(Math.max(0, retryAt - Date.now()));
  mark('lost', retryAt > 0 ? `disconnected, retrying in ${left}` : 'disconnected, retrying');
  document.title = '? disconnected';
}

// A hidden page holds no connection: browsers have few for each server.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    source?.close();
    clearTimeout(retry);
    retryAt = 0;
  } else {
    connect();
  }
});

ahead = Number(document.getElementById('live')?.dataset['now']) - Date.now();
refresh(document);
mark('joining', 'connecting');
setInterval(tick, 1000);
if (!document.hidden) connect();

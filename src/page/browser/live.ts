// The only script of the page: it fetches the page again and again, and shows what the server rendered.
import { age } from '../html.js';

const interval = 3000;
const maxDelay = 30_000;
const timeout = 10_000;

let failures = 0;
let asking = false;
let next: ReturnType<typeof setTimeout> | undefined;
let nextAt = 0;
/** How much the server's clock is ahead of ours. */
let ahead = 0;

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

/** Between two answers only the time shows that heartbeats have stopped. */
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
  for (const node of Array.from(fresh.childNodes)) {
    const kept = next !== null && alike(next, node) ? next : sameId(old, node);
    if (kept === next) next = next?.nextSibling ?? null;
    if (kept === null) old.insertBefore(node, next);
    else {
      if (kept.nextSibling !== next) old.insertBefore(kept, next);
      if (kept instanceof Element && node instanceof Element) morph(kept, node);
      else if (kept.nodeValue !== node.nodeValue) kept.nodeValue = node.nodeValue;
    }
  }
  while (next !== null) {
    const removed = next;
    next = next.nextSibling;
    removed.remove();
  }
}

function alike(one: Node, other: Node): boolean {
  if (!(one instanceof Element && other instanceof Element)) return one.nodeType === other.nodeType;
  return one.tagName === other.tagName && one.id === other.id;
}

/** The child with the id of the new one: entries that moved down are kept. */
function sameId(old: Element, node: Node): ChildNode | null {
  return node instanceof Element && node.id !== '' ? old.querySelector(`:scope > #${node.id}`) : null;
}

function show(page: Document): void {
  const fresh = page.getElementById('live');
  const live = document.getElementById('live');
  if (fresh === null || live === null) throw new Error('not the page');
  const mark = fresh.querySelector('#link');
  const present = live.querySelector('#link');
  if (mark !== null && present !== null) mark.replaceWith(present.cloneNode(true));
  ahead = Number(fresh.dataset['now']) - Date.now();
  refresh(fresh);
  morph(live, fresh);
  judge();
  const { status = '' } = page.documentElement.dataset;
  if (root.dataset['status'] !== status) {
    root.dataset['status'] = status;
    const [icon, freshIcon] = [document, page].map((each) => each.querySelector('link[rel=icon]'));
    icon?.setAttribute('href', freshIcon?.getAttribute('href') ?? '');
    const said = document.getElementById('said');
    const sentence = live.querySelector('.sentence')?.textContent ?? '';
    if (said !== null) said.textContent = `Status is now ${status}. ${sentence}.`;
  }
  document.title = page.title;
}

/** Shows whether the page is up to date. */
function mark(state: 'live' | 'lost' | 'joining', text: string): void {
  const link = document.getElementById('link');
  if (link === null) return;
  if (link.className !== state) link.className = state;
  if (link.textContent !== text) link.textContent = text;
}

async function ask(): Promise<Document> {
  const abort = new AbortController();
  const late = setTimeout(() => abort.abort(), timeout);
  try {
    const answer = await fetch(location.href, { signal: abort.signal });
    if (!answer.ok) throw new Error(answer.statusText);
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  } finally {
    clearTimeout(late);
  }
}

async function update(): Promise<void> {
  clearTimeout(next);
  nextAt = 0;
  if (document.hidden || asking) return;
  asking = true;
  try {
    show(await ask());
    failures = 0;
    mark('live', 'live');
  } catch {
    failures += 1;
  }
  asking = false;
  // Many pages must not send requests at once when a service comes back.
  const delay = Math.min(interval * 2 ** failures, maxDelay) * (0.75 + Math.random() / 2);
  nextAt = Date.now() + delay;
  next = setTimeout(() => void update(), delay);
  tick();
}

function tick(): void {
  refresh(document);
  judge();
  // One failed request is not shown.
  if (failures < 2) return;
  const left = age(Math.max(0, nextAt - Date.now()));
  mark('lost', nextAt > 0 ? `disconnected, retrying in ${left}` : 'disconnected, retrying');
  document.title = '? disconnected';
}

// A hidden page requests nothing.
document.addEventListener('visibilitychange', () => void update());

ahead = Number(document.getElementById('live')?.dataset['now']) - Date.now();
refresh(document);
mark('joining', 'connecting');
setInterval(tick, 1000);
void update();

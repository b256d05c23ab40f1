import type { Status } from '../../../src/core/heartbeat/levels.js';
import { age, count } from '../../../src/page/content/format.js';
import { clip, type Html, markup, type Slot } from '../../../src/page/content/html.js';
import { foreign, glyphs } from '../../../src/page/content/pieces.js';
import type { Finding, Instance, RunningBuild, Service, State } from './fleet.js';
import { buildName, lastPassed, remark, countsText, statusWord } from './words.js';

/** Rows of one list, findings of an instance, builds of a service: more would fill a browser. */
const maxRows = 500;
const maxFindings = 10;
const maxBuilds = 10;
const maxNameLength = 200;

/** Parts that are collapsed until the reader opens them. */
const calm: readonly State[] = ['ok', 'gone'];

/** The requested part of the fleet: one service, and whether the page stays as it is. */
export interface PageOptions {
  readonly service: Service | undefined;
  readonly still: boolean;
}

/** A link to the page with other options; relative, so that it also works behind a proxy. */
export function linkTo(still: boolean, service: string | undefined): string {
  const query = new URLSearchParams({
    ...(still && { still: '' }),
    ...(service !== undefined && { service }),
  });
  return `./?${query.toString()}`;
}

/** One service: its rollout, its builds, the sick in full and the others folded in. */
export function sectionOf(service: Service, now: number, { service: only, still }: PageOptions): Html {
  const { name, counts, builds, instances } = service;
  const open = only !== undefined;
  const title = foreign(clip(name === '' ? '(no name)' : name, maxNameLength));
  const restless = instances.filter(({ state }) => !calm.includes(state));
  return markup`<section>
<h2>${open ? title : markup`<a href="${linkTo(still, name)}">${title}</a>`} <small>${countsText(counts)}</small></h2>
${rollout(service)}
<ul class="builds">${builds.slice(0, maxBuilds).map((build) => buildItem(build, now))}${
    builds.length > maxBuilds && markup`<li>and ${builds.length - maxBuilds} more</li>`
  }</ul>
${restless.length > 0 && table(restless, now)}
${calm.map((state) =>
  folded(
    instances.filter((instance) => instance.state === state),
    state,
    now,
    open,
  ),
)}
</section>
`;
}

function rollout({ rollout: far, builds, name }: Service): Html | undefined {
  if (far === undefined) return undefined;
  const { done, total } = far;
  const label = `Rollout of ${clip(name, maxNameLength)}`;
  return markup`<p class="rollout"><progress value="${done}" max="${total}" aria-label="${label}"></progress>
<span>rollout <b>${done} of ${total}</b> on ${foreign(clip(buildName(builds[0]), maxNameLength))}</span></p>`;
}

function buildItem(build: RunningBuild, now: number): Html {
  const since = build.since !== undefined && markup` for ${age(now - build.since)}`;
  return markup`<li><b>${foreign(clip(buildName(build), maxNameLength))}</b> ${count(build.instances, 'instance')}${since}</li>`;
}

function folded(instances: readonly Instance[], state: State, now: number, open: boolean): Slot {
  if (instances.length === 0) return undefined;
  return markup`<details${open && markup` open`}><summary>${count(instances.length, 'instance')} ${state}</summary>
${table(instances, now)}</details>`;
}

function table(instances: readonly Instance[], now: number): Html {
  const more = instances.length - maxRows;
  return markup`<table><thead><tr><th scope="col">Instance</th><th scope="col">Build</th><th scope="col">Started</th></tr></thead>
${instances.slice(0, maxRows).map((instance) => row(instance, now))}</table>
${more > 0 && markup`<p class="empty">and ${more} more: the JSON has them all</p>`}`;
}

/** The colour of a state. */
const colours: Readonly<Record<State, Status | 'gone'>> = {
  down: 'critical',
  failing: 'error',
  unknown: 'warning',
  draining: 'info',
  gone: 'gone',
  ok: 'ok',
};
const shapes: Readonly<Record<State, string>> = {
  down: glyphs.critical,
  failing: glyphs.error,
  unknown: glyphs.unknown,
  draining: '↓',
  gone: '–',
  ok: glyphs.ok,
};

function row(instance: Instance, now: number): Html {
  const { name, state, status, build, since, findings } = instance;
  const colour = state === 'failing' || state === 'ok' ? (status ?? colours[state]) : colours[state];
  const grave = state === 'failing' || state === 'down' ? 'failing ' : '';
  const said = remark(instance, now);
  const more = findings.length - maxFindings;
  const list =
    findings.length > 0 &&
    markup`<tr class="said"><td colspan="3"><ul>${findings.slice(0, maxFindings).map((finding) => findingItem(finding, instance, now))}${
      more > 0 && markup`<li>and ${count(more, 'more check')}</li>`
    }</ul></td></tr>`;
  return markup`<tbody class="${grave}${colour}"><tr><th scope="row"><div class="check"><span class="pill ${colour}"><i aria-hidden="true">${shapes[state]}</i>${statusWord(instance)}</span> <span class="name">${foreign(clip(name, maxNameLength))}</span></div></th>
<td class="build">${foreign(clip(buildName(build), maxNameLength))}</td><td>${said ?? (since === undefined ? '' : `${age(now - since)} ago`)}</td></tr>${list}</tbody>
`;
}

function findingItem(finding: Finding, instance: Instance, now: number): Html {
  const { check, status, ids } = finding;
  const codes = ids.map((id) => markup` <code>${foreign(clip(id, maxNameLength))}</code>`);
  const passed = lastPassed(finding, instance, now);
  return markup`<li class="${status}">${status} <b>${foreign(clip(check, maxNameLength))}</b>${codes}${passed !== undefined && `, ${passed}`}</li>`;
}

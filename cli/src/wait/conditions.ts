import { clean } from '../../../src/tools.js';
import type { Exchange } from '../http/exchange.js';
import { isRecord, parseObject } from '../json.js';

/** The conditions for every service. */
export interface Wanted {
  readonly commit: string | undefined;
  readonly version: string | undefined;
  readonly healthy: boolean;
}

/** The result of one response. */
export interface Finding {
  /** Which build answered. */
  readonly build?: string;
  /** The unmet condition, as text; undefined if the response meets it. */
  readonly missing: string | undefined;
}

/** One thing that must hold, and how to read it. */
export interface Condition {
  readonly path: string;
  judge(answer: Exchange): Finding;
}

/** The conditions of the options; without any, `/__lbheartbeat__` must answer. */
export function conditionsOf(wanted: Wanted): readonly Condition[] {
  const { commit, version, healthy } = wanted;
  const conditions: Condition[] = [];
  if (commit !== undefined || version !== undefined) {
    conditions.push({ path: '/__version__', judge: (answer) => judgeBuild(answer, wanted) });
  }
  if (healthy) conditions.push({ path: '/__heartbeat__', judge: judgeHeartbeat });
  if (conditions.length === 0) conditions.push({ path: '/__lbheartbeat__', judge: judgeAlive });
  return conditions;
}

const maxLength = 200;
const shown = (text: string) => clean(text, maxLength);

function judgeBuild(answer: Exchange, wanted: Wanted): Finding {
  const unusable = unusableAnswer('version', answer);
  if (unusable !== undefined) return { missing: unusable };
  const body = parseObject(answer);
  if (body === undefined) return { missing: 'version 200 without a JSON object' };
  const [commit, version] = [textField(body, 'commit'), textField(body, 'version')];
  const build = shown(commit ?? version ?? 'a build without a commit');
  if (wanted.commit !== undefined && !sameCommit(wanted.commit, commit)) {
    return { build, missing: commit === undefined ? 'version has no commit' : `still runs ${build}` };
  }
  if (wanted.version !== undefined && wanted.version !== version) {
    const missing = version === undefined ? 'version has no version' : `still runs version ${shown(version)}`;
    return { build, missing };
  }
  return { build, missing: undefined };
}

function textField(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Characters of a commit that identify it, as git shortens it by default. */
const shortCommit = 7;

/** Whether one is the beginning of the other: pipelines and builds shorten differently. */
function sameCommit(wanted: string, found = ''): boolean {
  const [a, b] = [wanted.toLowerCase(), found.toLowerCase()];
  return b.startsWith(a) || (b.length >= shortCommit && a.startsWith(b));
}

function judgeHeartbeat(answer: Exchange): Finding {
  const unusable = unusableAnswer('heartbeat', answer);
  const body = parseObject(answer);
  if (unusable === undefined) {
    return { missing: body === undefined ? 'heartbeat 200 without a JSON object' : undefined };
  }
  const failing = isRecord(body?.['checks'])
    ? Object.entries(body['checks']).flatMap(([name, status]) => (status === 'ok' ? [] : [name]))
    : [];
  return { missing: failing.length === 0 ? unusable : `${unusable}: ${shown(failing.join(', '))}` };
}

function judgeAlive(answer: Exchange): Finding {
  return { missing: unusableAnswer('lbheartbeat', answer) };
}

function unusableAnswer(endpoint: string, { status, failure, headers }: Exchange): string | undefined {
  if (failure !== undefined) return `no answer: ${shown(failure)}`;
  if (status === 200) return undefined;
  const { location } = headers;
  return location === undefined
    ? `${endpoint} ${status}`
    : `${endpoint} ${status}, which redirects to ${shown(location)}`;
}

import { addImports, attach, names } from '../attach.js';
import { misfit } from '../frameworks.js';
import type { Module } from '../modules.js';
import { importedAs } from '../names.js';
import { healthLine, objectOf, reachable, serverMember } from '../options.js';
import { type Node, bare, endOf, startOf } from '../syntax.js';
import { freeName, importLine, lineBehind, styleOf, usesImport } from '../writing.js';
import { isFunction } from './functions.js';
import { handlersOf, type MethodCall, type MethodCalls, methodCalls } from './lightship-calls.js';
import { type LightshipOptions, lightshipOptions, probes } from './lightship-options.js';
import { moved, placed } from './lines.js';
import { type Listening, listeningIn } from './listening.js';
import { type Migrate, type Old, optionsOf } from './migration.js';
import { callsIn, type OldCall } from './old-call.js';
import { dropImports, removeStatement } from './old-imports.js';
import { blockOf, canStandAt, isVisible } from './places.js';

/** Replaces the instance of createLightship by Health and drainOnSignals. */
export const migrateLightship: Migrate = (old) => {
  const found = old.users.flatMap((module) =>
    callsIn(module, ({ callee }) => {
      const imported = importedAs(module, callee);
      return imported?.from === 'lightship' && ['createLightship', 'default'].includes(imported.name);
    }).map((call) => ({ module, call })),
  );
  const [first] = found;
  if (first !== undefined && found.length === 1 && old.users.length === 1)
    return migrateInstance(old, first.module, first.call);
  for (const module of old.users)
    old.leave(module, undefined, 'lightship is not created once, in the file that uses it');
  return false;
};

function migrateInstance(old: Old, module: Module, creation: OldCall): boolean {
  const { call, statement } = creation;
  const leave = (what: string): boolean => {
    old.leave(module, call, what);
    return false;
  };
  const [only] = statement.type === 'VariableDeclaration' ? statement.declarations : [];
  const isOwn = statement.type === 'VariableDeclaration' && statement.declarations.length === 1;
  if (!isOwn || only?.id.type !== 'Identifier' || bare(only.init) !== call)
    return leave('the result of createLightship is not kept in a constant of this file');
  if ([...module.exports.values()].includes(only.id.name))
    return leave('lightship is used by other files, too');
  const options = optionsOf(bare(call.arguments[0]));
  if (options === undefined) return leave('the options of createLightship are not written in the call');
  const calls = methodCalls(old, module, only.id.name, statement);
  const settings = calls && lightshipOptions(old, module, options, creation.indent);
  if (calls === undefined || settings === undefined) return false;
  if (old.applications.length > 1) return leave('several applications could be the one that serves requests');
  if (old.application === undefined) return migrateWorker({ old, module, creation, calls, settings });
  if (old.application.framework === 'nestjs')
    return leave('a NestJS application imports HealthModule instead');
  const wrong = misfit(old.project, old.application.framework);
  if (wrong !== undefined) return leave(wrong);
  const listening = listeningIn(module, old.application, freeName(module, 'server', 'httpServer'));
  if (listening === undefined) return leave('it is not clear here which server listens');
  return migrateServer({ old, module, creation, calls, settings }, listening);
}

interface Work {
  readonly old: Old;
  readonly module: Module;
  readonly creation: OldCall;
  readonly calls: MethodCalls;
  readonly settings: LightshipOptions;
}

/** The line that lets the process drain, with the handlers of lightship. */
function drainLine(
  work: Work,
  health: string,
  members: readonly string[],
  server?: string,
): string | undefined {
  const { old, module, calls, creation } = work;
  const handlers = handlersOf(old, module, calls.registerShutdownHandler, server);
  if (handlers === undefined) return undefined;
  const list = handlers.map((handler) => moved(module, handler, `${creation.indent}  `));
  const all = [
    ...(server === undefined ? [] : [serverMember(server)]),
    ...members,
    ...(list.length === 0 ? [] : [`onShutdown: [${list.join(', ')}]`]),
  ];
  const { semicolon } = styleOf(module);
  const name = calls.shutdown.length === 0 ? '' : `const ${freeName(module, 'drain', 'draining')} = `;
  return `${name}${freeName(module, 'drainOnSignals')}(${[health, ...objectOf(all)].join(', ')})${semicolon}`;
}

/** Renames the calls, and puts the line for draining in the place of the last handler, or after `last`. */
function changeCalls(
  { old, module, calls, creation }: Work,
  drain: string | undefined,
  last: Node,
  around: readonly Node[],
  from: number,
): boolean {
  const change = old.plan.of(module.path, module.text);
  const { newline } = styleOf(module);
  const registered = calls.registerShutdownHandler;
  const foreign = registered.find(
    (one) => blockOf(one.around) !== blockOf(around) || startOf(one.statement) < startOf(last),
  );
  // Code of the block itself runs before the constants below it exist.
  const isEarly = ({ call, around: outer }: MethodCall, at: number): boolean =>
    !isVisible(around, outer) ||
    (startOf(call) < at && blockOf(outer) === blockOf(around) && !outer.some(isFunction));
  const wrong =
    foreign ??
    calls.signalReady.find((one) => isEarly(one, from)) ??
    calls.shutdown.find((one) => isEarly(one, startOf(registered.at(-1)?.statement ?? last)));
  if (wrong !== undefined) {
    old.leave(module, wrong.call, 'the lines of lifesign cannot go before this one');
    return false;
  }
  const rename = (list: readonly MethodCall[], name: string, reason: string): void => {
    for (const { call } of list) change.replace(startOf(call.callee), endOf(call.callee), name, reason);
  };
  rename(
    calls.signalReady,
    `${freeName(module, 'health', 'lifesign')}.started`,
    'the service is ready from here',
  );
  rename(calls.shutdown, `${freeName(module, 'drain', 'draining')}.start`, 'drains without a signal');
  const reason = 'fails readiness on SIGTERM, lets the work finish, and ends the process';
  for (const { statement } of registered.slice(0, -1)) removeStatement(change, module, statement, reason);
  for (const { statement } of calls.signalNotReady)
    removeStatement(change, module, statement, 'a service is not ready before health.started()');
  const place = registered.at(-1)?.statement;
  if (drain === undefined) return true;
  if (place !== undefined)
    change.replace(startOf(place), endOf(place), placed([drain], creation.indent, newline), reason);
  else {
    const { at, text } = lineBehind(module, last, drain);
    change.insert(at, placed([text], '', newline), reason);
  }
  return true;
}

function migrateServer(work: Work, listening: Listening): boolean {
  const { old, module, creation, settings } = work;
  const { plan, project, application } = old;
  if (application === undefined) return false;
  const style = styleOf(module);
  const { server } = listening;
  const health = freeName(module, 'health', 'lifesign');
  const options = [`healthPort: ${settings.port}`, probes(style.quote)];
  const drain = drainLine(work, health, settings.drain, server);
  if (drain === undefined) return false;
  const own = application.module === module && isVisible(application.around, listening.around);
  const isMovable =
    settings.portNode === undefined ||
    canStandAt(module, settings.portNode, startOf(application.creation), application.around);
  if (own && !isMovable) {
    old.leave(module, settings.portNode, 'the port is not known where the application is created');
    return false;
  }
  const change = plan.of(module.path, module.text);
  const instead = dropImports(change, module, old.packages, [creation.statement], drain);
  removeStatement(change, module, creation.statement, 'lightship is replaced');
  if (listening.isNameless)
    change.insert(startOf(listening.statement), `const ${server} = `, 'drainOnSignals needs the server');
  const drains = importLine(
    style,
    usesImport(module, project.isModule),
    { drainOnSignals: freeName(module, 'drainOnSignals') },
    'lifesign/drain',
  );
  const more = { options, isNamed: true, imports: [drains], ...(instead !== undefined && { instead }) };
  const { statement, around } = listening;
  if (own && application.framework !== 'node') {
    if (!changeCalls(work, drain, statement, around, startOf(application.creation))) return false;
    return attach(plan, project, old.modules, application, old.clients, more);
  }
  const handed = reachable(plan, old.modules, { module, around }, statement, old.clients);
  const line = healthLine(module, server, handed, names(module, handed), project.directory, true, options);
  const { at, text } = lineBehind(module, statement, line);
  change.insert(at, text, 'serves the paths of lightship on its port');
  if (!changeCalls(work, drain, statement, around, endOf(statement))) return false;
  addImports(plan, project, module, 'node', handed, startOf(around[1] ?? statement), more);
  return true;
}

/** A process without a server gets its endpoints on the port of lightship. */
function migrateWorker(work: Work): boolean {
  const { old, module, creation, calls, settings } = work;
  const { plan, project } = old;
  const style = styleOf(module);
  const health = freeName(module, 'health', 'lifesign');
  const members = settings.drain.filter((member) => !member.startsWith('delay:'));
  if (members.length < settings.drain.length)
    old.leave(
      module,
      creation.call,
      'shutdownDelay is left out: a worker gets no requests that could go elsewhere',
    );
  const drain = drainLine(work, health, members);
  if (drain === undefined) return false;
  const around = creation.around.slice(0, creation.around.indexOf(creation.statement));
  const handed = reachable(plan, old.modules, { module, around }, creation.statement, old.clients);
  const line = healthLine(module, undefined, handed, names(module, handed), project.directory, true, [
    `port: ${settings.port}`,
    probes(style.quote),
  ]);
  const change = plan.of(module.path, module.text);
  const instead = dropImports(change, module, old.packages, [creation.statement], drain);
  const isLast = calls.registerShutdownHandler.length === 0;
  const lines = isLast ? [line, drain] : [line];
  change.replace(
    startOf(creation.statement),
    endOf(creation.statement),
    placed(lines, creation.indent, style.newline),
    'serves the paths of lightship on its port',
  );
  if (!changeCalls(work, isLast ? undefined : drain, creation.statement, around, startOf(creation.statement)))
    return false;
  addImports(plan, project, module, 'worker', handed, startOf(around[1] ?? creation.statement), {
    names: { drainOnSignals: freeName(module, 'drainOnSignals') },
    ...(instead !== undefined && { instead }),
  });
  return true;
}

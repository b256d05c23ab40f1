import { addImports, drainOf, names } from './attach.js';
import type { Plan } from './changes.js';
import type { Module } from './modules.js';
import { objectOf } from './options.js';
import type { Project } from './project.js';
import { type Node, startOf, walk } from './syntax.js';
import { indentAt, styleOf } from './writing.js';

type FunctionNode = Extract<
  Node,
  { type: 'ArrowFunctionExpression' | 'FunctionDeclaration' | 'FunctionExpression' }
>;

const isFunction = (node: Node): node is FunctionNode =>
  node.type === 'ArrowFunctionExpression' ||
  node.type === 'FunctionExpression' ||
  node.type === 'FunctionDeclaration';

/** The function that a module exports, which `fastify start` calls with the application. */
function exportedFunction(module: Module): FunctionNode | undefined {
  const name = module.exports.get('default');
  let found: FunctionNode | undefined;
  walk(module.tree.program, (node, around) => {
    if (!isFunction(node) || found !== undefined) return;
    const parent = around.at(-1);
    const isNamed =
      (node.type === 'FunctionDeclaration' && node.id?.name === name) ||
      (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' && parent.id.name === name);
    const isExported = around.some(
      (one) =>
        one.type === 'ExportDefaultDeclaration' ||
        (one.type === 'AssignmentExpression' && /^module\.exports\s*=/.test(module.text.slice(startOf(one)))),
    );
    const depth = around.filter(isFunction).length;
    if (depth === 0 && ((name !== undefined && isNamed) || isExported)) found = node;
  });
  return found;
}

/** fastify-cli creates the application and hands it to a function. Returns its name there. */
export function attachFastifyCli(plan: Plan, project: Project, module: Module): string | undefined {
  const hosted = exportedFunction(module);
  const [parameter] = hosted?.params ?? [];
  if (hosted?.body.type !== 'BlockStatement' || parameter?.type !== 'Identifier') {
    plan.note(
      `${module.name} exports no function that takes the application of fastify start: register lifesign/fastify in it`,
    );
    return undefined;
  }
  const { semicolon, newline } = styleOf(module);
  const [first] = hosted.body.body;
  const indent =
    first === undefined
      ? `${indentAt(module.text, startOf(hosted))}  `
      : indentAt(module.text, startOf(first));
  const { health } = names(module, []);
  const change = plan.of(module.path, module.text);
  addImports(plan, project, module, 'fastify', [], startOf(hosted));
  const line = `${newline}${indent}new ${health}(${[parameter.name, ...objectOf(drainOf(project))].join(', ')})${semicolon}`;
  change.insert(
    startOf(hosted.body) + 1,
    line,
    'serves /__heartbeat__, /__lbheartbeat__ and /__version__ before every hook',
  );
  return parameter.name;
}

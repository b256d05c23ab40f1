import type { Names } from './names.js';
import { type Node, type Source, bare, nameOf } from './syntax.js';

/** Collects what a module exports, in both module systems. */
export class Exports {
  readonly #source: Source;
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, Node>();
  /** Members that are assigned to a name: `db.sequelize = sequelize`. */
  readonly #members = new Map<string, Map<string, Node>>();
  readonly #passedOn: Names['passedOn'][number][] = [];
  #isCommonJs = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `export * from './pool'`. */
  addAll({ source }: Extract<Node, { type: 'ExportAllDeclaration' }>): void {
    this.#passedOn.push({ from: source.value, name: '*', as: '*' });
  }

  /** `export const pool = …`, `export { pool }`. */
  addNamed(node: Extract<Node, { type: 'ExportNamedDeclaration' }>): void {
    for (const specifier of node.specifiers) {
      if (specifier.type !== 'ExportSpecifier') continue;
      const as = nameOf(specifier.exported) ?? '';
      const { name } = specifier.local;
      if (node.source) this.#passedOn.push({ from: node.source.value, name, as });
      else this.#names.set(as, name);
    }
    const { declaration } = node;
    if (declaration?.type === 'VariableDeclaration') {
      for (const { id } of declaration.declarations)
        if (id.type === 'Identifier') this.#names.set(id.name, id.name);
    } else if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier') {
      this.#names.set(declaration.id.name, declaration.id.name);
    }
  }

  /** `export default app`, `export default { pool }`, `export default new Pool()`. */
  addDefault(declaration: Node): void {
    if ('id' in declaration && declaration.id && nameOf(declaration.id) !== undefined)
      this.#names.set('default', nameOf(declaration.id) ?? '');
    else this.#add('default', declaration);
    this.#addMembers(bare(declaration), 'default.');
  }

  /** `module.exports = app`, `module.exports = { app }`, `exports.app = app`. */
  addAssigned(node: Extract<Node, { type: 'AssignmentExpression' }>): void {
    const { text } = this.#source;
    const to = text.slice(node.left.start ?? 0, node.left.end ?? 0);
    const value = bare(node.right);
    if (to === 'module.exports') {
      this.#isCommonJs = true;
      if (value?.type === 'AssignmentExpression') this.addAssigned({ ...value, left: node.left });
      else if (value !== undefined) this.#add('default', value);
      this.#addMembers(value, '');
      return;
    }
    const [, owner = '', name = ''] = /^((?:module\.)?exports|[\w$]+)\.([\w$]+)$/.exec(to) ?? [];
    if (value === undefined || name === '') return;
    if (/^(?:module\.)?exports$/.test(owner)) {
      this.#isCommonJs = true;
      this.#add(name, value);
    } else this.#members.set(owner, (this.#members.get(owner) ?? new Map<string, Node>()).set(name, value));
  }

  #addMembers(value: Node | undefined, prefix: string): void {
    if (value?.type !== 'ObjectExpression') return;
    for (const property of value.properties)
      if (property.type === 'ObjectProperty' && !property.computed)
        this.#add(prefix + (nameOf(property.key) ?? ''), property.value);
  }

  #add(key: string, value: Node): void {
    const inner = bare(value);
    if (inner?.type === 'Identifier') this.#names.set(key, inner.name);
    else if (inner !== undefined) this.#values.set(key, inner);
  }

  all(): Pick<Names, 'exports' | 'values' | 'passedOn' | 'isCommonJs'> {
    // The members of what is exported as a whole are known when all assignments were seen.
    for (const [name, value] of this.#members.get(this.#names.get('default') ?? '') ?? [])
      this.#add(this.#isCommonJs ? name : `default.${name}`, value);
    return {
      exports: this.#names,
      values: this.#values,
      passedOn: this.#passedOn,
      isCommonJs: this.#isCommonJs,
    };
  }
}

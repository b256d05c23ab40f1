import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const fixture = join(import.meta.dirname, 'kustomize');
const component = join(import.meta.dirname, '../../deploy/kustomize');
const read = (directory: string, file: string) => readFileSync(join(directory, file), 'utf8');
const documents = (text: string) => parseAllDocuments(text).map((each) => each.toJS());

const [own] = parse(read(component, 'container.yaml')).template.spec.containers;
const output = read(fixture, 'output.yaml');
const before = documents(read(fixture, 'deployments.yaml'));
const after = new Map(documents(output).map((each) => [`${each.kind} ${each.metadata.name}`, each]));
const deployments = before.filter(({ kind }) => kind === 'Deployment');

interface Named {
  readonly name?: string;
}
const withoutOurs = (list: readonly Named[] = [], ours: readonly Named[]) =>
  list.filter(({ name }) => !ours.some((each) => each.name === name));

test('the output is of Kustomize itself, and of these files', () => {
  const files = readdirSync(component).filter((file) => file.endsWith('.yaml'));
  const texts = [
    ...files.toSorted().map((file) => read(component, file)),
    read(fixture, 'deployments.yaml'),
    read(fixture, 'kustomization.yaml'),
  ];
  const checksum = createHash('sha256').update(texts.join('')).digest('hex');
  expect(output.split('\n')[1], 'run test/container/kustomize/make.sh').toBe(`# ${checksum}`);
  expect(parse(read(fixture, 'kustomization.yaml')).components).toHaveLength(1);
});

describe.each(deployments)('Deployment $metadata.name', (given) => {
  const made = after.get(`Deployment eu-${given.metadata.name}`);
  const [container, ...others] = made.spec.template.spec.containers;
  const [givenContainer, ...givenOthers] = given.spec.template.spec.containers;

  test('has the probes, ports and variables', () => {
    const { startupProbe, readinessProbe, livenessProbe } = own;
    expect(container).toMatchObject({ startupProbe, readinessProbe, livenessProbe });
    // What it had of another kind of probe would make it invalid.
    expect(container.livenessProbe).toEqual(livenessProbe);
    expect(container.readinessProbe).toEqual(readinessProbe);
    for (const name of ['ports', 'env'] as const)
      expect(container[name]).toEqual(expect.arrayContaining(own[name]));
  });

  test('keeps everything else', () => {
    for (const name of ['ports', 'env'] as const)
      expect(withoutOurs(container[name], own[name])).toEqual(withoutOurs(givenContainer[name], own[name]));
    expect(others).toEqual(givenOthers);
    const rest = (spec: Record<string, unknown>) => ({ ...spec, containers: undefined });
    expect(rest(made.spec.template.spec)).toEqual(rest(given.spec.template.spec));
    expect([container.name, container.image]).toEqual([givenContainer.name, givenContainer.image]);
  });
});

test('nothing but the Deployments changes, and the values of the component are not in the output', () => {
  expect([...after.keys()].toSorted()).toEqual(
    before.map(({ kind, metadata }) => `${kind} eu-${metadata.name}`).toSorted(),
  );
  const service = before.find(({ kind }) => kind === 'Service');
  expect(after.get('Service eu-full').spec).toEqual(service.spec);
});

import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { read, variantIn } from '../../container/examples.js';
import { compile } from '../../examples/tsx-app.js';

const kinds = { Deployment, NetworkPolicy, Service } satisfies Record<
  string,
  new (manifest: never) => { validate(): void }
>;
interface Manifest {
  readonly kind: keyof typeof kinds;
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
}

const manifestsIn = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS());
const validate = (manifest: Manifest) => new kinds[manifest.kind](manifest as never).validate();

const files = {
  'deployment.yaml': read('kubernetes/deployment.yaml'),
  'network-policy.yaml': read('kubernetes/network-policy.yaml'),
  'worker.yaml': read('kubernetes/worker.yaml'),
};

describe.each(Object.entries(files))('%s is valid by the schema of Kubernetes', (_name, text) => {
  const manifests = manifestsIn(text);
  test('it has manifests', () => {
    expect(manifests).not.toEqual([]);
  });
  test.each(manifests)('$kind $metadata.name', (manifest) => {
    validate(manifest);
    // The schema notices a mistake.
    expect(() => validate({ ...manifest, spec: 1 })).toThrow('must be');
  });
});

test('a worker that is asked by a command, with a file', () => {
  const deployment = parse(read('kubernetes/worker.yaml'));
  Object.assign(
    deployment.spec.template.spec.containers[0],
    parse(variantIn('kubernetes/worker.yaml', 'With a file')),
  );
  validate(deployment);
});

test('this folder compiles', async () => {
  await compile(import.meta.dirname);
});

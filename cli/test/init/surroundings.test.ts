import { describe, expect, test } from 'vitest';
import { manifest, planned } from './planned.js';

const service = {
  'package.json': manifest({ scripts: { start: 'node index.js' }, dependencies: { express: '^5.0.0' } }),
  'index.js':
    "const express = require('express');\n\nconst app = express();\napp.listen(process.env.PORT || 3000);\n",
};
const deployment = (name: string, image: string, port: number, more = ''): string =>
  `# ${name}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  template:\n    spec:\n      containers:\n      - name: main\n        image: ${image} # pinned\n        ports:\n        - containerPort: ${port}\n${more}`;

describe('of several Deployments only the one of the service gets probes', () => {
  test.each([
    ['by its name', 'shop', 'registry.example.org:5000/x@sha256:1'],
    ['by its image', 'web', 'registry.example.org:5000/team/shop:1.2'],
  ])('%s', (_name, name, image) => {
    const redis = deployment('redis', 'redis:8', 6379);
    const worker = deployment('shop-worker', 'shop:1', 9000, '        command: [node, worker.js]\n');
    const own = deployment(name, image, 3000);
    const { file, files } = planned({
      ...service,
      'k8s/redis.yaml': redis,
      'k8s/shop.yaml': `${own}---\n${worker}`,
    });
    expect(files).not.toContain('k8s/redis.yaml');
    const changed = file('k8s/shop.yaml') ?? '';
    expect(changed.match(/livenessProbe/g)).toHaveLength(1);
    expect(changed.startsWith(own)).toBe(true);
    expect(changed.endsWith(`---\n${worker}`)).toBe(true);
  });

  test('or the only one, on the port of the service', () => {
    const only = planned({ ...service, 'k8s/a.yaml': deployment('a', 'b:1', 3000) });
    expect(only.file('k8s/a.yaml')).toContain('path: /livez');
    for (const files of [
      { 'k8s/a.yaml': deployment('redis', 'redis:8', 6379) },
      { 'k8s/a.yaml': deployment('a', 'a:1', 3000), 'k8s/b.yaml': deployment('b', 'b:1', 3000) },
    ]) {
      const left = planned({ ...service, ...files });
      expect(left.files.some((name) => name.startsWith('k8s'))).toBe(false);
      expect(left.notes.join('\n')).toContain('names no Deployment or image shop: write into the container');
    }
  });

  test('templates of a chart are left', () => {
    const { files } = planned({
      ...service,
      'k8s/a.yaml': deployment('{{ .Release.Name }}', '{{ .Values.image }}', 3000),
      'deploy/Chart.yaml': 'name: shop\n',
      'deploy/values.yaml': deployment('shop', 'shop', 3000),
    });
    expect(files.toSorted()).toEqual(['index.js', 'package.json']);
  });
});

test('code that has lifesign already gets only the package', () => {
  const index =
    "const { Health } = require('lifesign/express');\nconst app = require('express')();\nnew Health(app);\napp.listen(3000);\n";
  expect(planned({ ...service, 'index.js': index }).files).toEqual(['package.json']);
});

test('a class Health of its own keeps its name, a comment has none', () => {
  const index = (more: string): string =>
    `const express = require('express');\n${more}\nconst app = express();\napp.listen(3000);\n`;
  const of = (more: string) => planned({ ...service, 'index.js': index(more) }).file('index.js');
  expect(of('class Health {}')).toContain('new LifesignHealth(app);');
  expect(of('class Health {}')).toContain("{ Health: LifesignHealth } = require('lifesign/express');");
  expect(of('// Health of the shop')).toContain('new Health(app);');
});

test('a semicolon at the start of a line stays there', () => {
  const { file } = planned({
    ...service,
    'index.js':
      "const express = require('express')\nconst app = express()\n;[1].forEach(String)\napp.listen(3000)\n",
  });
  expect(file('index.js')).toContain('const app = express()\nnew Health(app)');
  expect(file('index.js')).toContain('\n;[1].forEach(String)');
});

test('names of package.json', () => {
  const { file } = planned({
    'package.json': manifest({
      type: 'module',
      imports: { '#src/*': './src/*' },
      scripts: { start: 'node src/main.ts' },
      dependencies: { express: '^5.0.0' },
    }),
    'src/main.ts': "import { app } from '#src/app.ts';\napp.listen(3000);\n",
    'src/app.ts':
      "import express from 'express';\nimport { pool } from '#src/db.ts';\nexport const app = express();\napp.get('/', () => pool);\n",
    'src/db.ts': "import { Pool } from 'pg';\nexport const pool = new Pool();\n",
  });
  expect(file('src/app.ts')).toContain('new Health(app, { db: pool });');
});

test.each([
  [
    'NODE_ENV=production next start -H 0.0.0.0',
    'NODE_ENV=production node --import lifesign/auto node_modules/next/dist/bin/next start -H 0.0.0.0',
  ],
  [
    'cross-env A=1 next start',
    'cross-env A=1 node --import lifesign/auto node_modules/next/dist/bin/next start',
  ],
  [
    'npm run migrate && next start',
    'npm run migrate && node --import lifesign/auto node_modules/next/dist/bin/next start',
  ],
  ['node .next/standalone/server.js', 'node --import lifesign/auto .next/standalone/server.js'],
])('Next.js that is started by %s: the script to write', (start, wanted) => {
  const { files, notes } = planned({
    'package.json': manifest({ scripts: { dev: 'next dev', start }, dependencies: { next: '^16.0.0' } }),
  });
  expect(files).toEqual([]);
  expect(notes.join()).toContain(`package.json: write ${JSON.stringify(wanted)} as the script start`);
});

test('a package.json on one line, or with a list on one line, gets only its entry', () => {
  for (const [text, wanted] of [
    ['{"name":"shop","scripts":{"start":"node index.js"}}', '"},"dependencies": {"lifesign": "^'],
    [
      '{\n  "files": ["a", "b"],\n  "scripts": { "start": "node index.js" },\n  "dependencies": { "express": "^5.0.0", "pg": "^8.0.0" }\n}\n',
      '"dependencies": { "express": "^5.0.0", "lifesign": "^',
    ],
  ] as const) {
    const { file } = planned({ ...service, 'package.json': text });
    expect(file('package.json')).toContain(wanted);
  }
});

test('lifesign among the devDependencies is named', () => {
  const lists = { dependencies: { express: '^5.0.0' }, devDependencies: { lifesign: '~0.1.0' } };
  const { files, notes } = planned({ ...service, 'package.json': manifest(lists) });
  expect(files).toEqual(['index.js']);
  expect(notes.join()).toContain('package.json has lifesign among the devDependencies');
});

test('lifesign in both lists, or for peers, stays', () => {
  for (const key of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    const lists = {
      devDependencies: { lifesign: '~0.1.0' },
      [key]: { express: '^5.0.0', lifesign: '^0.1.0' },
    };
    expect(planned({ ...service, 'package.json': manifest(lists) }).files).not.toContain('package.json');
  }
});

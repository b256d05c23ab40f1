import { expect, test } from 'vitest';
import { manifest, planned } from './planned.js';

const service = {
  'package.json': manifest({ scripts: { start: 'node index.js' }, dependencies: { express: '^5.0.0' } }),
  'index.js': "const app = require('express')();\napp.listen(process.env.PORT || 3000);\n",
  Dockerfile: 'FROM node:22\nWORKDIR /app\nCOPY . .\nRUN npm ci\nCMD ["node", "index.js"]\n',
};

test('a service that is built here gets its time to end, and every other line stays; the check is in the image', () => {
  const text = `# Local and staging
services:
  shop: # ours
    build: .

    ports: ['3000:3000'] # for the proxy
    depends_on:
      - db

  # The database
  db:
    image: postgres:18
volumes: {}
`;
  const changed = planned({ ...service, 'compose.yaml': text }).file('compose.yaml') ?? '';
  expect(changed).toBe(
    text.replace(
      '      - db\n',
      `      - db
    stop_grace_period: 30s
`,
    ),
  );
  // The second run finds nothing to change.
  const again = planned({
    ...service,
    'package.json': manifest({ dependencies: { express: '^5.0.0', lifesign: '^0.1.0' } }),
    'index.js': `const { Health } = require('lifesign/express');\n${service['index.js']}`,
    'compose.yaml': changed,
  });
  expect(again.files).not.toContain('compose.yaml');
});

test('a worker of the same image gets its time to end, too', () => {
  const text =
    'services:\n  shop:\n    build: .\n  worker:\n    build: { context: . }\n    command: npm run worker\n';
  const changed = planned({ ...service, 'compose.yaml': text }).file('compose.yaml') ?? '';
  expect(changed.match(/^ {4}stop_grace_period: 30s$/gm)).toHaveLength(2);
});

test.each([
  ['another folder', 'shop:\n    build: ./web\n', 'builds no service from this folder'],
  ['an image', 'shop:\n    image: shop\n', 'builds no service from this folder'],
  ['keys of an anchor', 'a:\n    <<: *base\n    build: .\n', 'takes settings of a from elsewhere'],
  ['braces', 'a: { build: . }\n', 'takes settings of a from elsewhere'],
])('a file with %s is left', (_name, text, why) => {
  const { files, notes } = planned({
    ...service,
    'compose.yaml': `x-base: &base\n  restart: always\nservices:\n  ${text}`,
  });
  expect(files).not.toContain('compose.yaml');
  expect(notes.join('\n')).toContain(`compose.yaml ${why}: lifesign-cli doctor compose.yaml says`);
});

test('a check that is there stays', () => {
  const text =
    'services:\n  a:\n    build: .\n    stop_grace_period: 1m\n    healthcheck:\n      test: curl -f localhost\n';
  const { files, notes } = planned({ ...service, 'compose.yaml': text });
  expect(files).not.toContain('compose.yaml');
  expect(notes.join('\n')).toContain('has a healthcheck of a already');
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProcess } from '../run.js';
import { applications } from './applications.js';
import { writeProject } from './write-project.js';

const service = {
  'package.json':
    '{\n  "name": "shop",\n  "scripts": { "start": "node index.js" },\n  "dependencies": { "express": "^5.0.0" }\n}\n',
  'index.js':
    "const express = require('express');\n\nconst app = express();\napp.listen(process.env.PORT || 3000);\n",
};

/** The file after `init --write`, and what a second run would change. */
async function after(files: Readonly<Record<string, string>>, name: string): Promise<string> {
  const cwd = writeProject({ ...service, ...files });
  const first = await inProcess(['init', '--write', '--no-start'], { cwd });
  expect(first.code, first.stderr).toBe(0);
  expect(await inProcess(['init'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  return readFileSync(join(cwd, name), 'utf8');
}

test('a Dockerfile gets a HEALTHCHECK on the right port, and version.json before the user changes', async () => {
  const file = `FROM node:22-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm ci
COPY . .

FROM node:22-slim
WORKDIR /app
COPY --from=build /app ./
# Without rights
USER node
EXPOSE 3000
# Run it
CMD ["node", "index.js"]
`;
  expect(await after({ Dockerfile: file }, 'Dockerfile')).toBe(`FROM node:22-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm ci
COPY . .

FROM node:22-slim
WORKDIR /app
COPY --from=build /app ./
ARG COMMIT
RUN if [ -n "$COMMIT" ]; then echo "{\\"commit\\":\\"$COMMIT\\"}" > version.json; fi

# Without rights
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \\
    CMD ["node", "-e", "fetch(\`http://127.0.0.1:\${process.env.PORT||3000}/__lbheartbeat__\`).then(({ok})=>process.exit(ok?0:1))"]

# Run it
CMD ["node", "index.js"]
`);
});

test('doctor finds nothing in a Dockerfile and a Compose file that init has written', async () => {
  const cwd = writeProject({
    ...service,
    Dockerfile:
      'FROM node:22-slim\nWORKDIR /app\nCOPY . .\nRUN npm ci\nUSER node\nEXPOSE 3000\nCMD ["node", "index.js"]\n',
    'compose.yaml': 'services:\n  shop:\n    build: .\n',
  });
  const { stdout } = await inProcess(['init', '--write', '--no-start'], { cwd });
  expect(stdout).toContain('> version.json; fi');
  expect((await inProcess(['doctor', '--strict'], { cwd })).stdout).toBe(
    '2 files, 2 containers: nothing found\n',
  );
});

test('a Dockerfile that is right stays as it is', async () => {
  const file = `FROM node:22
WORKDIR /srv
COPY . .
RUN npm ci && npx lifesign version
HEALTHCHECK CMD ["node", "check.js"]
CMD ["npm", "start"]
`;
  expect(await after({ Dockerfile: file }, 'Dockerfile')).toBe(file);
});

test('images without Node or a shell are named, and left', async () => {
  for (const [base, wanted] of [
    ['nginx:1', /last stage on nginx:1: add a HEALTHCHECK/],
    [
      'gcr.io/distroless/nodejs22',
      /Dockerfile has a last stage in which init finds no place for version\.json/,
    ],
  ] as const) {
    const cwd = writeProject({
      ...service,
      Dockerfile: `FROM node:24 AS build\nWORKDIR /app\nRUN npm ci\nFROM ${base}\nWORKDIR /app\nCOPY --from=build /app ./\nCMD ["index.js"]\n`,
    });
    expect((await inProcess(['init'], { cwd })).stderr).toMatch(wanted);
  }
});

test.each([
  [
    'a Dockerfile',
    { Dockerfile: 'FROM node:22\nWORKDIR /app\nCOPY . .\nRUN npm ci\nCMD ["node", "index.js"]\n' },
  ],
  ['a Compose file', { 'compose.yaml': 'services:\n  shop:\n    build: .\n' }],
  ['a Deployment', { 'k8s/shop.yaml': 'apiVersion: apps/v1\nkind: Deployment\n' }],
])('with %s the application drains', async (_name, files) => {
  expect(await after(files, 'index.js')).toContain('new Health(app, { drain: true });');
});

test('NestJS in a container drains by its shutdown hooks', async () => {
  const { files } = applications['NestJS 12'] ?? { files: {} };
  const { stderr } = await inProcess(['init'], {
    cwd: writeProject({ ...files, Dockerfile: 'FROM node:22\n' }),
  });
  expect(stderr).toContain('src/main.ts: write app.enableShutdownHooks(), and it drains on SIGTERM');
});

const deployment = (more: string, port = '            - containerPort: 3000\n'): string => `# The shop
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  template:
    spec:
      containers:
        - name: shop
          image: shop:1 # by the pipeline
          ports:
${port}${more}
---
apiVersion: v1
kind: Service
metadata: { name: shop }
`;

test('a Deployment without probes gets them, with its own port and indentation', async () => {
  const env = "          env:\n            - name: LOG\n              value: 'debug'";
  const written = await after({ 'k8s/shop.yaml': deployment(env) }, 'k8s/shop.yaml');
  expect(written).toBe(
    deployment(`          env:
            - name: HEALTH_PROBES
              value: 'true'
            - name: LOG
              value: 'debug'
          startupProbe:
            httpGet:
              path: /startupz
              port: 3000
            periodSeconds: 2
            failureThreshold: 60
          readinessProbe:
            httpGet:
              path: /readyz
              port: 3000
            periodSeconds: 5
            timeoutSeconds: 2
            failureThreshold: 2
          livenessProbe:
            httpGet:
              path: /livez
              port: 3000
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3`),
  );
});

test('a Deployment with probes of its own is left, with a word about them', async () => {
  const probe = '          livenessProbe:\n            httpGet: { path: /, port: 3000 }';
  const cwd = writeProject({ ...service, 'k8s/shop.yaml': deployment(probe) });
  const { stdout, stderr } = await inProcess(['init'], { cwd });
  expect(stdout).not.toContain('k8s/shop.yaml');
  expect(stderr).toContain(
    'k8s/shop.yaml has probes already (livenessProbe): lifesign-cli doctor k8s/shop.yaml',
  );
});

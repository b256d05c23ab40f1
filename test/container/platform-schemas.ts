/**
 * What the platforms accept of the parts that our files use, with their limits, as their references say in November 2026.
 * A key that a platform does not know fails.
 */
const text = { type: 'string', minLength: 1 };
const number = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum });
const path = { type: 'string', pattern: '^/' };
const only = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const list = (items: unknown) => ({ type: 'array', items, minItems: 1 });
const texts = { type: 'object', additionalProperties: text };
const duration = { type: 'string', pattern: '^\\d+(?:ms|s|m)$' };

const flyCheck = {
  grace_period: duration,
  headers: texts,
  interval: duration,
  method: { enum: ['GET', 'HEAD', 'POST'] },
  path,
  protocol: { enum: ['http', 'https'] },
  timeout: duration,
  tls_skip_verify: { type: 'boolean' },
};

/** fly.io/docs/reference/configuration */
export const fly = only(
  {
    app: text,
    primary_region: { type: 'string', pattern: '^[a-z]{3}$' },
    kill_signal: { enum: ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL', 'SIGSTOP'] },
    kill_timeout: duration,
    build: only({ image: text, dockerfile: text }),
    env: texts,
    http_service: only(
      {
        internal_port: number(1, 65_535),
        force_https: { type: 'boolean' },
        auto_stop_machines: { enum: ['off', 'stop', 'suspend'] },
        auto_start_machines: { type: 'boolean' },
        min_machines_running: number(0, 1000),
        checks: list(only(flyCheck, ['path'])),
      },
      ['internal_port'],
    ),
    checks: {
      type: 'object',
      additionalProperties: only({ ...flyCheck, type: { enum: ['http', 'tcp'] }, port: number(1, 65_535) }, [
        'type',
        'port',
      ]),
    },
    restart: list(only({ policy: { enum: ['always', 'never', 'on-failure'] }, retries: number(1, 100) })),
  },
  ['app'],
);

/** render.com/docs/blueprint-spec */
export const render = only(
  {
    services: list(
      only(
        {
          type: { enum: ['web', 'pserv', 'worker', 'cron', 'keyvalue'] },
          name: text,
          runtime: { enum: ['node', 'docker', 'image', 'static'] },
          image: only({ url: text }, ['url']),
          plan: { enum: ['free', 'starter', 'standard', 'pro', 'pro plus', 'pro max', 'pro ultra'] },
          numInstances: number(1, 100),
          maxShutdownDelaySeconds: number(1, 300),
          healthCheckPath: path,
          envVars: list(only({ key: text, value: text }, ['key', 'value'])),
        },
        ['type', 'name', 'runtime'],
      ),
    ),
  },
  ['services'],
);

/** docs.railway.com/config-as-code/reference */
export const railway = only({
  $schema: { const: 'https://railway.com/railway.schema.json' },
  build: only({ builder: { enum: ['RAILPACK', 'DOCKERFILE'] }, dockerfilePath: text }),
  deploy: only({
    startCommand: text,
    healthcheckPath: path,
    healthcheckTimeout: number(1, 3600),
    overlapSeconds: number(0, 3600),
    drainingSeconds: number(0, 3600),
    restartPolicyType: { enum: ['ON_FAILURE', 'ALWAYS', 'NEVER'] },
    restartPolicyMaxRetries: number(1, 100),
  }),
});

const template = (resource: unknown, more: Readonly<Record<string, unknown>> = {}) =>
  only(
    {
      AWSTemplateFormatVersion: { const: '2010-09-09' },
      Resources: { type: 'object', additionalProperties: resource, minProperties: 1 },
      ...more,
    },
    ['Resources', ...Object.keys(more)],
  );
const resource = (type: string, properties: unknown) =>
  only({ Type: { const: type }, Properties: properties }, ['Type', 'Properties']);

/** AWS::AppRunner::Service of CloudFormation */
export const appRunner = template(
  resource(
    'AWS::AppRunner::Service',
    only(
      {
        ServiceName: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{3,39}$' },
        SourceConfiguration: only({
          AuthenticationConfiguration: only({ AccessRoleArn: text }),
          ImageRepository: only(
            {
              ImageIdentifier: text,
              ImageRepositoryType: { enum: ['ECR', 'ECR_PUBLIC'] },
              ImageConfiguration: only({
                Port: { type: 'string', pattern: '^\\d+$' },
                RuntimeEnvironmentVariables: list(only({ Name: text, Value: text })),
              }),
            },
            ['ImageIdentifier', 'ImageRepositoryType'],
          ),
        }),
        HealthCheckConfiguration: only({
          Protocol: { enum: ['TCP', 'HTTP'] },
          Path: path,
          Interval: number(1, 20),
          Timeout: number(1, 20),
          HealthyThreshold: number(1, 20),
          UnhealthyThreshold: number(1, 20),
        }),
      },
      ['SourceConfiguration'],
    ),
  ),
);

/** AWS::Serverless::Function, with the variables of Lambda Web Adapter */
export const lambda = template(
  resource(
    'AWS::Serverless::Function',
    only({
      PackageType: { enum: ['Image', 'Zip'] },
      ImageUri: text,
      Architectures: list({ enum: ['arm64', 'x86_64'] }),
      MemorySize: number(128, 10_240),
      Timeout: number(1, 900),
      FunctionUrlConfig: only({ AuthType: { enum: ['AWS_IAM', 'NONE'] } }, ['AuthType']),
      Environment: only({
        Variables: {
          type: 'object',
          properties: {
            AWS_LWA_PORT: { type: 'string', pattern: '^\\d+$' },
            AWS_LWA_READINESS_CHECK_PATH: path,
            AWS_LWA_READINESS_CHECK_HEALTHY_STATUS: { type: 'string', pattern: '^\\d{3}(?:[-,]\\d{3})*$' },
            AWS_LWA_READINESS_CHECK_MIN_UNHEALTHY_STATUS: { type: 'string', pattern: '^\\d{3}$' },
          },
          patternProperties: { '^(?!AWS_LWA_)': text },
          additionalProperties: false,
        },
      }),
    }),
  ),
  { Transform: { const: 'AWS::Serverless-2016-10-31' } },
);

const probe = {
  httpGet: only({ path, port: number(1, 65_535) }, ['path']),
  periodSeconds: number(1, 300),
  timeoutSeconds: number(1, 240),
  failureThreshold: number(1, 1000),
  successThreshold: number(1, 10),
};

/** cloud.google.com/run/docs/reference/yaml/v1 */
export const cloudRun = only(
  {
    apiVersion: { const: 'serving.knative.dev/v1' },
    kind: { const: 'Service' },
    metadata: only({ name: text, annotations: texts }),
    spec: only({
      template: only({
        metadata: only({ annotations: texts }),
        spec: only({
          containers: list(
            only({
              image: text,
              ports: list(only({ containerPort: number(1, 65_535) })),
              env: list(only({ name: text, value: text })),
              startupProbe: only({ ...probe, initialDelaySeconds: number(0, 240) }),
              readinessProbe: only(probe),
              livenessProbe: only({ ...probe, initialDelaySeconds: number(0, 3600) }),
            }),
          ),
        }),
      }),
    }),
  },
  ['apiVersion', 'kind', 'metadata', 'spec'],
);

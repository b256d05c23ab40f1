import { parse as parseToml } from 'smol-toml';
import { parse } from 'yaml';
import { type Described, described, readDeploy, variables } from './described.js';

const portOf = (env: Readonly<Record<string, string>>) =>
  env['PORT'] === undefined ? {} : { port: Number(env['PORT']) };

/** The adapter asks until the answer is one of the healthy ones, and never again. */
function lambda(): Described {
  const env = parse(readDeploy('lambda/template.yaml')).Resources.Shop.Properties.Environment.Variables;
  const port = Number(env['AWS_LWA_READINESS_CHECK_PORT'] ?? env['AWS_LWA_PORT']);
  return described(env, { startup: { path: env['AWS_LWA_READINESS_CHECK_PATH'], port } });
}

interface Check {
  readonly path: string;
  readonly port?: number;
}
interface Fly {
  readonly env: Readonly<Record<string, string>>;
  readonly http_service: { readonly internal_port: number; readonly checks: readonly Check[] };
  readonly checks: { readonly live: Check };
}

/** Checks of the service take a machine out of rotation; the others are only shown. */
function fly(): Described {
  const { env, http_service, checks } = parseToml(readDeploy('fly/fly.toml')) as unknown as Fly;
  const { path = '' } = http_service.checks[0] ?? {};
  return described(env, {
    readiness: { path, port: http_service.internal_port },
    liveness: checks.live,
  });
}

function appRunner(): Described {
  const { SourceConfiguration, HealthCheckConfiguration } = parse(readDeploy('app-runner/template.yaml'))
    .Resources.Shop.Properties;
  const { Port, RuntimeEnvironmentVariables } = SourceConfiguration.ImageRepository.ImageConfiguration;
  const list = RuntimeEnvironmentVariables.map(({ Name, Value }: { Name: string; Value: string }) => ({
    name: Name,
    value: Value,
  }));
  return described(variables(list), {
    readiness: { path: HealthCheckConfiguration.Path, port: Number(Port) },
  });
}

function render(): Described {
  const [{ envVars, healthCheckPath }] = parse(readDeploy('render/render.yaml')).services;
  const list = envVars.map(({ key, value }: { key: string; value: string }) => ({ name: key, value }));
  const env = variables(list);
  return described(env, { readiness: { path: healthCheckPath, ...portOf(env) } });
}

/** Its variables are not in the file. */
function railway(): Described {
  const { healthcheckPath: path } = JSON.parse(readDeploy('railway/railway.json')).deploy;
  return described({}, { readiness: { path } });
}

export const platformFiles: Readonly<Record<string, () => Described>> = {
  'lambda/template.yaml': lambda,
  'fly/fly.toml': fly,
  'app-runner/template.yaml': appRunner,
  'render/render.yaml': render,
  'railway/railway.json': railway,
};

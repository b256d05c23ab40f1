/** Variables that runners set in the processes that run tests. */
const variables = [
  'JEST_WORKER_ID',
  'VITEST',
  'NODE_TEST_CONTEXT',
  'MOCHA_WORKER_ID',
  'AVA_PATH',
  'TAP',
  'TAP_CHILD_ID',
  'PLAYWRIGHT_TEST',
  'TEST_WORKER_INDEX',
  'CUCUMBER_WORKER_ID',
];
const script =
  /[/\\]node_modules[/\\](?:\.bin[/\\](?:jest|vitest|_?mocha|ava|tape|tap|jasmine|uvu|qunit|lab|playwright|cucumber-js|ts-mocha)|(?:jest|jest-cli|vitest|mocha|ava|tape|tap|jasmine|uvu|qunit|ts-mocha|playwright|@tapjs[/\\]run|@hapi[/\\]lab|@playwright[/\\]test|@cucumber[/\\]cucumber)[/\\].+)$/;

/** The test runner whose process this is; undefined if it is not one, or if `HEALTH_AUTO=true` asks for lifesign all the same. */
export function testRunner(): string | undefined {
  const { env, argv, execArgv } = process;
  if (/^(?:true|1)$/i.test(env['HEALTH_AUTO'] ?? '')) return undefined;
  const variable = variables.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return `${variable} is set`;
  if (execArgv.includes('--test')) return 'node --test runs it';
  const [, started = ''] = argv;
  return script.test(started) ? `${started} runs it` : undefined;
}

/** One way in which secrets occur in texts. `make` gets made-up characters and puts them where the secret stands. */
export interface Shape {
  readonly name: string;
  readonly alphabet: string;
  readonly length: number;
  readonly make: (secret: string) => string;
}

const digits = '0123456789';
const hex = `${digits}abcdef`;
const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const alnum = lower + upper + digits;
const wordly = `${alnum}_-`;
const base64 = `${alnum}+/`;

/** Two halves, so that a character that is hard to parse stands in the middle of the secret. */
const halves = (secret: string, between: string): string =>
  secret.slice(0, secret.length / 2) + between + secret.slice(secret.length / 2);

const shape = (name: string, make: Shape['make'], alphabet = alnum, length = 20): Shape => ({
  name,
  alphabet,
  length,
  make,
});

const inUrl = [
  ["'", 'single quote'],
  ['"', 'double quote'],
  ['`', 'backtick'],
  [' ', 'space'],
  ['@', 'at sign'],
  [':', 'colon'],
  ['/', 'slash'],
  ['#', 'hash'],
  ['?', 'question mark'],
  ['%40', 'percent escape'],
  ['&', 'ampersand'],
  ['=', 'equals sign'],
  [';', 'semicolon'],
  [',', 'comma'],
  ['$', 'dollar'],
  ['\\', 'backslash'],
  ['|', 'bar'],
  ['<', 'angle bracket'],
  ['{}', 'braces'],
  ['é–漢', 'letters beyond ASCII'],
  ['@/:', 'at sign, slash and colon'],
].map(([char = '', name = '']) =>
  shape(
    `password with ${name} in a URL`,
    (s) => `cannot open postgres://app:${halves(s, char)}@db.internal:5432/app`,
  ),
);

const urls = [
  shape('postgres URL', (s) => `postgres://bob:${s}@db.internal:5432/app refused`),
  shape('redis URL without a user', (s) => `redis://:${s}@cache:6379/0`),
  shape('rediss URL', (s) => `rediss://default:${s}@cache.example:6380`),
  shape('mongodb+srv URL', (s) => `mongodb+srv://app:${s}@c0.abcde.mongodb.example/app?retryWrites=true`),
  shape(
    'mongodb URL with several hosts',
    (s) => `mongodb://app:${s}@a.example:27017,b.example:27017/app?replicaSet=r`,
  ),
  shape('amqp URL', (s) => `Error: connect amqp://guest:${s}@mq:5672/%2f`),
  shape('smtp URL', (s) => `smtps://mailer%40acme.example:${s}@smtp.example:465`),
  shape('ldap URL', (s) => `ldaps://cn=admin,dc=x:${s}@ldap.example`),
  shape('ftp URL', (s) => `ftp://deploy:${s}@files.example/pub`),
  shape('https URL with basic credentials', (s) => `GET https://api:${s}@registry.example/v2/ 401`),
  shape('https URL with a token for a user', (s) => `https://${s}@git.example/acme/app.git`),
  shape(
    'git clone with x-access-token',
    (s) => `git clone https://x-access-token:${s}@git.example/a/b.git failed`,
  ),
  shape('mysql URL at the end', (s) => `Access denied: mysql://root:${s}@db`),
  shape('URL in JSON', (s) => `{"url":"postgres://app:${s}@db/app","mail":"bob@example.org"}`),
  shape('URL in angle brackets', (s) => `<amqps://app:${s}@mq.example>`),
  shape(
    'JDBC URL with credentials in its query',
    (s) => `jdbc:postgresql://db:5432/app?user=app&password=${s}&ssl=true`,
  ),
  shape(
    'JDBC URL of SQL Server',
    (s) => `jdbc:sqlserver://db:1433;databaseName=app;user=sa;password=${s};encrypt=true`,
  ),
  shape('JDBC URL of Oracle', (s) => `jdbc:oracle:thin:scott/${s}@//db:1521/orcl`),
  shape('Sentry DSN', (s) => `dsn https://${s}@o1.ingest.example/42`, hex, 32),
  shape('cloudinary URL', (s) => `CLOUDINARY_URL=cloudinary://1234567890:${s}@acme`),
  ...inUrl,
];

const logins = [
  shape('user:password@tcp(host)', (s) => `dsn root:${s}@tcp(db:3306)/app`),
  shape('user:password@host:port', (s) => `connecting as app:${s}@db.internal:5432 failed`),
  shape('user:password@host at the end', (s) => `cannot connect to root:${s}@db.internal`),
  shape('user:password@host, a slash in the password', (s) => `root:${halves(s, '/')}@db.internal:3306`),
  shape('user:password@host, an at sign in the password', (s) => `root:${halves(s, '@')}@db.internal:3306`),
  shape('user:password@host in quotes', (s) => `"root:${s}@db"`),
  shape('user:password@host after an equals sign', (s) => `dsn=root:${s}@db`),
];

const names = [
  ...'password passwd passphrase pwd pass secret DB_PASS DB_PASSWORD PGPASSWORD MYSQL_PWD REDIS_PASSWORD db.password dbPass userPassword'.split(
    ' ',
  ),
  ...'client_secret clientSecret api_key apiKey apikey API_KEY x-api-key access_key secret_key SECRET_KEY_BASE private_key'.split(
    ' ',
  ),
  ...'access_token refresh_token id_token auth_token authToken csrf_token session_token token sessionid SESSION_SECRET JWT_SECRET'.split(
    ' ',
  ),
  ...'encryption_key signing_key AccountKey SharedAccessKey aws_secret_access_key AWS_SESSION_TOKEN STRIPE_SECRET webhook_secret'.split(
    ' ',
  ),
  ...'npm_config__authToken connect.sid passwort'.split(' '),
];
const named = names.flatMap((name) => [
  shape(`${name}=…`, (s) => `failed with ${name}=${s} here`),
  shape(`"${name}": "…"`, (s) => `body {"a":1,"${name}":"${s}","b":2}`),
  shape(`${name}: '…'`, (s) => `{ ${name.includes('-') ? `'${name}'` : name}: '${s}', b: 2 }`),
]);

const pairs = [
  shape('YAML', (s) => `db:\n  host: db\n  password: ${s}\n  port: 5432`),
  shape('YAML block', (s) => `password: |\n  ${s}\nuser: app`),
  shape('TOML', (s) => `password = "${s}"`),
  shape('INI', (s) => `[db]\npassword = ${s}\nhost = db`),
  shape('environment dump', (s) => `PATH=/usr/bin\nDB_PASS=${s}\nHOME=/root`),
  shape('export', (s) => `export DATABASE_PASSWORD='${s}'`),
  shape('logfmt', (s) => `level=error msg="login" password=${s} user=bob`),
  shape('escaped JSON', (s) => `{"body":"{\\"password\\":\\"${s}\\",\\"a\\":1}"}`),
  shape('JSON escaped twice', (s) => `"{\\"body\\":\\"{\\\\\\"password\\\\\\":\\\\\\"${s}\\\\\\"}\\"}"`),
  shape('escaped quote in a JSON password', (s) => `{"password":"${halves(s, '\\"')}","a":1}`),
  shape('JSON cut off', (s) => `{"user":"bob","password":"${s}`),
  shape('single quotes with spaces', (s) => `password='${halves(s, ' and ')}' host=db`),
  shape('Ruby hash', (s) => `{:password => "${s}", :user => "app"}`),
  shape('Python dict', (s) => `{'host': 'db', 'password': '${s}'}`),
  shape('Node util.inspect', (s) => `{\n  host: 'db',\n  password: '${s}',\n  port: 5432\n}`),
  shape('subscript', (s) => `config["password"] = "${s}"`),
  shape('ADO connection string', (s) => `Server=db;Database=app;User Id=sa;Password=${s};Encrypt=yes`),
  shape('ODBC connection string', (s) => `Driver={ODBC};Server=db;Uid=sa;Pwd=${s};`),
  shape('libpq connection string', (s) => `host=db user=app password=${s} dbname=app`),
  shape('comma in the value', (s) => `password=${halves(s, ',')} host=db`),
  shape(
    'Azure storage connection string',
    (s) =>
      `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${s}==;EndpointSuffix=core.windows.net`,
    base64,
    84,
  ),
  shape(
    'Azure service bus',
    (s) => `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}=`,
    base64,
    43,
  ),
  shape(
    'Azure shared access signature',
    (s) => `https://acme.blob.core.windows.net/c/b?sv=2024-01-01&se=2026&sig=${s}%3D&sp=r`,
    alnum,
    40,
  ),
  shape(
    'AWS SigV4 query',
    (s) => `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${s}`,
    hex,
    64,
  ),
  shape(
    'AWS security token in a query',
    (s) => `https://b.s3.amazonaws.com/k?X-Amz-Security-Token=${s}&X-Amz-Expires=60`,
    alnum,
    80,
  ),
  shape(
    'AWS credential in a query',
    (s) => `?X-Amz-Credential=${s}%2F20260101%2Feu-west-1%2Fs3%2Faws4_request`,
    upper,
    20,
  ),
  shape(
    'AWS credentials file',
    (s) => `[default]\naws_access_key_id = x\naws_secret_access_key = ${s}`,
    base64,
    40,
  ),
  shape('token in a query', (s) => `GET /reset?token=${s}&lang=en 500`),
  shape('encoded query in a query', (s) => `/login?next=%2Fcb%3Ftoken%3D${s}%26a%3D1`),
  shape(
    'signature of a CDN',
    (s) => `https://cdn.example/a.mp4?Expires=1&Signature=${s}&Key-Pair-Id=K1`,
    alnum,
    60,
  ),
  shape('fragment', (s) => `https://app.example/#access_token=${s}&token_type=bearer`),
  shape('XML', (s) => `<db><user>app</user><password>${s}</password></db>`),
  shape('property list', (s) => `<key>password</key>\n<string>${s}</string>`),
  shape('HTML', (s) => `{&quot;password&quot;:&quot;${s}&quot;}`),
  shape('percent-encoded JSON', (s) => `data=%7B%22password%22%3A%22${s}%22%7D`),
  shape('unicode-escaped quotes', (s) => `{\\u0022password\\u0022:\\u0022${s}\\u0022}`),
  shape('unique violation of PostgreSQL', (s) => `Key (api_token)=(${s}) already exists.`),
  shape('LDIF', (s) => `userPassword:: ${s}`),
  shape('API key in prose', (s) => `Invalid API key: ${s}`),
  shape('Go struct', (s) => `{Host:db Password:${s} Port:5432}`),
  shape('list in an object', (s) => `headers: { 'x-api-key': [ '${s}' ] }`),
  shape('object of credentials', (s) => `credentials: { user: 'a', value: '${s}' }`),
];

const headers = [
  shape('Authorization: Basic', (s) => `Authorization: Basic ${s}==`),
  shape('Authorization: Bearer', (s) => `authorization: Bearer ${s}\nhost: x`),
  shape('Authorization: Token', (s) => `Authorization: Token ${s}`),
  shape('Authorization: ApiKey', (s) => `Authorization: ApiKey ${s}`),
  shape('Authorization without a scheme', (s) => `Authorization: ${s}`),
  shape(
    'Authorization: Digest',
    (s) => `Authorization: Digest username="bob", realm="r", response="${s}"`,
    hex,
    32,
  ),
  shape(
    'Authorization of AWS',
    (s) =>
      `Authorization: AWS4-HMAC-SHA256 Credential=K/2026/eu/s3/aws4_request, SignedHeaders=host, Signature=${s}`,
    hex,
    64,
  ),
  shape('Proxy-Authorization', (s) => `Proxy-Authorization: Basic ${s}=`),
  shape('Authorization in JSON', (s) => `{"headers":{"Authorization":"Bearer ${s}","Accept":"*/*"}}`),
  shape('Authorization in inspect', (s) => `headers: { Accept: '*/*', Authorization: 'Bearer ${s}' }`),
  shape('raw headers', (s) => `rawHeaders: [ 'Host', 'x', 'Authorization', 'Bearer ${s}' ]`),
  shape('raw headers with a key', (s) => `["Host","x","X-Api-Key","${s}"]`),
  shape('Bearer alone', (s) => `token rejected: Bearer ${s}`),
  shape('Basic alone', (s) => `sent Basic ${s}`),
  shape('X-Api-Key', (s) => `X-Api-Key: ${s}`),
  shape('X-Auth-Token', (s) => `> X-Auth-Token: ${s}\n> Accept: */*`),
  shape('X-Vault-Token', (s) => `X-Vault-Token: ${s}`),
  shape('Ocp-Apim-Subscription-Key', (s) => `Ocp-Apim-Subscription-Key: ${s}`, hex, 32),
  shape('X-Amz-Security-Token header', (s) => `X-Amz-Security-Token: ${s}`, alnum, 60),
  shape('Cookie', (s) => `Cookie: theme=dark; sid=${s}; lang=en`),
  shape('Set-Cookie', (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly`),
  shape('Cookie in JSON', (s) => `{"cookie":"a=b; connect.sid=s%3A${s}.x"}`),
  shape('Set-Cookie list in inspect', (s) => `'set-cookie': [ 'sid=${s}; Path=/' ]`),
  shape('session cookie without a header', (s) => `PHPSESSID=${s}`),
  shape('header in curl', (s) => `curl -H "Authorization: Bearer ${s}" https://api.example`),
  shape('header in curl, single quotes', (s) => `curl -H 'X-Api-Key: ${s}' https://api.example`),
];

const commands = [
  shape('curl -u', (s) => `Command failed: curl -u bob:${s} https://api.example`),
  shape('curl --user', (s) => `curl --user bob:${s} https://api.example`),
  shape('--password x', (s) => `Command failed: tool --user bob --password ${s} --host db`),
  shape('--password=x', (s) => `tool --password=${s} --host db`),
  shape('--api-key x', (s) => `tool --api-key ${s}`),
  shape('--token x', (s) => `tool --token ${s} run`),
  shape('list of arguments', (s) => `spawnargs: [ '--password', '${s}', '--host' ]`),
  shape('mysql -p', (s) => `mysqldump -u root -p${s} app`),
  shape('sshpass -p', (s) => `sshpass -p ${s} ssh bob@host`),
  shape('docker login -p', (s) => `docker login -u bob -p ${s} registry.example`),
  shape('redis-cli -a', (s) => `redis-cli -h cache -a ${s} ping`),
  shape('ldapsearch -w', (s) => `ldapsearch -D cn=admin -w ${s} -b dc=x`),
  shape('redis AUTH', (s) => `AUTH ${s}`),
  shape('redis AUTH with a user', (s) => `Command failed: AUTH default ${s}`),
  shape('redis HELLO', (s) => `HELLO 3 AUTH default ${s}`),
  shape('command of ioredis', (s) => `command: { name: 'auth', args: [ '${s}' ] }`),
  shape('command of ioredis in JSON', (s) => `{"command":{"name":"auth","args":["default","${s}"]}}`),
  shape('SMTP AUTH PLAIN', (s) => `C: AUTH PLAIN ${s}`),
  shape('SQL IDENTIFIED BY', (s) => `CREATE USER app IDENTIFIED BY '${s}'`),
  shape('SQL PASSWORD', (s) => `ALTER ROLE app WITH PASSWORD '${s}'`),
  shape('netrc', (s) => `machine api.example login bob password ${s}`),
  shape('npmrc', (s) => `//registry.example/:_authToken=${s}`),
  shape('docker run -e', (s) => `docker run -e POSTGRES_PASSWORD=${s} postgres`),
];

const begin = (kind: string) => ['-----BEG', `IN ${kind}-----`].join('');
const end = (kind: string) => ['-----EN', `D ${kind}-----`].join('');
const keys = [
  shape(
    'PEM',
    (s) => `${begin('RSA PRIVATE KEY')}\n${s}\n${s}\n${end('RSA PRIVATE KEY')} is bad`,
    base64,
    64,
  ),
  shape('PEM on one line', (s) => `"${begin('PRIVATE KEY')}\\n${s}\\n${end('PRIVATE KEY')}\\n"`, base64, 64),
  shape('PEM without its end', (s) => `key ${begin('EC PRIVATE KEY')}\n${s}\n${s.slice(9)}`, base64, 64),
  shape('PEM without its beginning', (s) => `${s}\n${s}\n${end('PRIVATE KEY')}`, base64, 64),
  shape(
    'PEM of OpenSSH',
    (s) => `${begin('OPENSSH PRIVATE KEY')}\n${s}\n${end('OPENSSH PRIVATE KEY')}`,
    base64,
    70,
  ),
  shape(
    'PEM of PGP',
    (s) => `${begin('PGP PRIVATE KEY BLOCK')}\n\n${s}\n${end('PGP PRIVATE KEY BLOCK')}`,
    base64,
    64,
  ),
  shape(
    'PEM in inspect',
    (s) => `key: '${begin('PRIVATE KEY')}\\n' +\n  '${s}\\n' +\n  '${end('PRIVATE KEY')}\\n'`,
    base64,
    64,
  ),
  shape(
    'service account of Google',
    (s) =>
      `{"type":"service_account","private_key":"${begin('PRIVATE KEY')}\\n${s}\\n${end('PRIVATE KEY')}\\n"}`,
    base64,
    64,
  ),
  shape('PEM in base64', (s) => `client-key-data: LS0tLS1CRUdJTi${s}`, alnum, 60),
];

/** Tokens known by their beginnings, in pieces so that no scanner takes this file for a leak. */
const token = (pieces: readonly string[], alphabet: string, length: number, after = ''): Shape =>
  shape(
    `token ${pieces.join('').slice(0, 14)}…`,
    (s) => `request with ${pieces.join('')}${s}${after} was refused`,
    alphabet,
    length,
  );
const tokens = [
  token(['AK', 'IA'], upper, 16),
  token(['AS', 'IA'], upper, 16),
  token(['AI', 'za'], wordly, 35),
  token(['ya', '29.'], wordly, 60),
  token(['GOC', 'SPX-'], wordly, 28),
  token(['GO', 'OG'], alnum, 20),
  token(['LT', 'AI'], alnum, 20),
  token(['abc', '8Q', '~'], alnum, 34),
  ...['p', 'o', 'u', 's', 'r'].map((kind) => token(['gh', kind, '_'], alnum, 36)),
  token(['github', '_pat_'], alnum, 60),
  ...['pat', 'dt', 'rt', 'cbt', 'ptt', 'ft', 'imt', 'agent', 'soat', 'oas'].map((kind) =>
    token(['gl', kind, '-'], alnum, 20),
  ),
  token(['GR', '1348941'], alnum, 20),
  token(['ATA', 'TT3'], alnum, 60),
  token(['np', 'm_'], alnum, 36),
  token(['py', 'pi-'], alnum, 60),
  token(['ruby', 'gems_'], hex, 48),
  token(['dckr', '_pat_'], alnum, 27),
  token(['AK', 'Cp'], alnum, 60),
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxe-'].map((kind) =>
    token([kind.slice(0, 2), kind.slice(2), '1-'], alnum, 30),
  ),
  token(['xo', 'xe.', 'xo', 'xp-1-'], alnum, 60),
  token(['xa', 'pp-1-'], alnum, 60),
  token(['S', 'G.'], alnum, 60),
  token(['key', '-'], hex, 32),
  token(['S', 'K'], hex, 32),
  token([], hex, 32, '-us12'),
  token(['xkey', 'sib-'], hex, 60),
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((kind) =>
    token([kind.slice(0, 3), kind.slice(3)], alnum, 24),
  ),
  token(['wh', 'sec_'], alnum, 32),
  token(['sq0', 'atp-'], alnum, 22),
  token(['sq0', 'csp-'], alnum, 43),
  ...['at', 'ca', 'pa', 'ss'].map((kind) => token(['shp', kind, '_'], hex, 32)),
  token(['sk', '-'], alnum, 48),
  token(['sk', '-proj-'], wordly, 60),
  token(['sk', '-ant-api03-'], wordly, 90),
  token(['hf', '_'], alnum, 34),
  token(['r8', '_'], alnum, 37),
  token(['gs', 'k_'], alnum, 52),
  token(['xa', 'i-'], alnum, 70),
  ...['dop', 'doo', 'dor'].map((kind) => token([kind, '_v1_'], hex, 64)),
  token(['HRK', 'U-'], alnum, 40),
  ...['pt', 'st', 'ct', 'sa'].map((kind) => token(['dp.', kind, '.'], alnum, 43)),
  ...['s', 'b', 'r'].map((kind) => token(['hv', kind, '.'], alnum, 90)),
  token(['abcdefghij1234', '.atlas', 'v1.'], alnum, 60),
  token(['da', 'pi'], hex, 32),
  token(['sha', '256~'], alnum, 43),
  token(['tskey', '-auth-'], alnum, 30),
  token(['sb', 'p_'], hex, 40),
  token(['pscale', '_pw_'], alnum, 43),
  token(['fo', '1_'], alnum, 43),
  token(['glc', '_'], alnum, 60),
  token(['gl', 'sa_'], alnum, 40),
  token(['snt', 'rys_'], alnum, 60),
  token(['NR', 'AK-'], upper, 27),
  token(['dt0', 'c01.', 'A'.repeat(24), '.'], upper, 64),
  token(['lin', '_api_'], alnum, 40),
  token(['nt', 'n_'], alnum, 46),
  token(['PM', 'AK-'], hex, 50),
  token(['pat', '-na1-'], hex, 36),
  token(['AGE-SECRET', '-KEY-1'], upper, 58),
  token(['fig', 'd_'], wordly, 40),
  token(['CCI', 'PAT_'], alnum, 40),
  token(['123456789', ':A', 'A'], wordly, 33),
  token(['M', 'TA'], alnum, 22, '.GabcdE.abcdefghijklmnopqrstuvwxyz12'),
  token(['ey', 'JhbGciOiJIUzI1NiJ9.', 'ey', 'JzdWIiOiIx'], wordly, 43),
  token(['$2', 'b$10$'], alnum, 53),
  token(['$argon', '2id$v=19$m=65536,t=3,p=4$'], alnum, 43),
];

const hooks = [
  shape('webhook of Slack', (s) => `POST https://hooks.slack.com/services/T0AAAA/B0AAAA/${s} 404`, alnum, 24),
  shape('webhook of Discord', (s) => `https://discord.com/api/webhooks/123456789012345678/${s}`, wordly, 68),
  shape('bot of Telegram', (s) => `https://api.telegram.org/bot123456:${s}/sendMessage`, wordly, 35),
  shape(
    'webhook of Teams',
    (s) => `https://acme.webhook.office.com/webhookb2/${s}@x/IncomingWebhook/y`,
    hex,
    36,
  ),
  shape('webhook of Zapier', (s) => `https://hooks.zapier.com/hooks/catch/123456/${s}/`, alnum, 12),
  shape('webhook of Mattermost', (s) => `https://chat.example/hooks/a1${s}`, alnum, 24),
  shape('key of PagerDuty', (s) => `https://events.pagerduty.com/integration/${s}/enqueue`, hex, 32),
  shape(
    'Google chat',
    (s) => `https://chat.googleapis.com/v1/spaces/A/messages?key=x&token=${s}`,
    wordly,
    43,
  ),
  shape('link to a new password', (s) => `https://app.example/reset-password/a1${s}`, alnum, 30),
];

export const shapes: readonly Shape[] = [
  ...urls,
  ...logins,
  ...named,
  ...pairs,
  ...headers,
  ...commands,
  ...keys,
  ...tokens,
  ...hooks,
];

/** Made-up characters that a seed decides. */
export function madeUp({ alphabet, length }: Pick<Shape, 'alphabet' | 'length'>, seed: number): string {
  let state = seed * 2654435761 + 12345;
  let text = '';
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + index * 374761393) | 0;
    text += alphabet.charAt((state >>> 8) % alphabet.length);
  }
  return text;
}

/** Whether six characters of a secret in a row can be read in a text. */
export function leaks(shown: string, secret: string): boolean {
  for (let at = 0; at + 6 <= secret.length; at += 1) {
    // Both halves of a secret that a hard character parts are in it.
    if (shown.includes(secret.slice(at, at + 6))) return true;
  }
  return false;
}

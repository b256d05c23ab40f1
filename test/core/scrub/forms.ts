import { inspect } from 'node:util';

/** A way of writing a secret, and what may stand in the middle of it. */
export interface Form {
  readonly name: string;
  readonly marks: string;
  readonly make: (secret: string) => string;
}

const form = (name: string, marks: string, make: Form['make']): Form => ({ name, marks, make });

const inUrl = `!$*+,;=.~_-:%#?@/&|<>'"\`\\ \n\té{}`;
const bare = '!$*+.~_-:%#?@/|<(){}[]';
const line = `${bare} \t'`;
const quoted = `${bare} \t\n'"\`\\,;&=`;
const header = `!#$%&*+.^_|~:/-=`;

/** Of a private key; in pieces so that no scanner takes this file for a leak. */
const pem = ['PRIVATE', 'KEY'].join(' ');

const urls = [
  'postgres://app:@db.internal:5432/orders',
  'redis://:@cache:6379/0',
  'mongodb+srv://app:@c0.abcde.example/app?retryWrites=true',
  'mongodb://app:@a.example:27017,b.example:27017/app',
  'amqps://guest:@mq.example',
  'ldaps://cn=admin,dc=x:@ldap.example',
  'https://oauth2:@git.example/acme/app.git',
].map((url) => form(url, inUrl, (s) => `cannot open ${url.replace(':@', () => `:${s}@`)} now`));

const names =
  'password passwd PASSWORD pwd pass secret DB_PASS PGPASSWORD MYSQL_PWD db.password userPassword client_secret clientSecret api_key apiKey X-Api-Key access_key SECRET_KEY_BASE private_key accessToken refresh_token auth_token csrf_token token sessionId JWT_SECRET AccountKey SharedAccessKey aws_secret_access_key X-Amz-Signature sig npm_config__authToken connect.sid пароль password2'.split(
    ' ',
  );
const values = names.flatMap((name) => [
  form(`${name}=x`, bare, (s) => `failed with ${name}=${s} here`),
  form(`${name}=x&`, bare.replace('#', ''), (s) => `GET /x?a=1&${name}=${s}&b=2`),
  form(`${name}: x`, line, (s) => `host: db\n${name}: ${s}\nport: 5432`),
  form(`"${name}": JSON`, quoted, (s) => `body ${JSON.stringify({ a: 1, [name]: s, b: 2 })}`),
  form(`${name}: inspect`, quoted, (s) => `given ${inspect({ a: { [name]: s }, b: 2 })}`),
]);

const others = [
  form(
    'quotes doubled as in SQL',
    quoted.replace('\\', ''),
    (s) => `password = '${s.replaceAll("'", "''")}' host`,
  ),
  form('TOML', quoted.replaceAll(/["\\]/g, ''), (s) => `password = """\n${s}\n"""\nport = 1`),
  form('JSON in JSON', quoted, (s) => JSON.stringify({ body: JSON.stringify({ password: s, a: 1 }) })),
  form('JSON cut off', bare, (s) => `{"user":"bob","password":"${s}`),
  form('a list', quoted, (s) => `headers: ${inspect({ 'set-cookie': [`sid=${s}`, 'a=b'] })}`),
  form('an object', quoted, (s) => inspect({ credentials: { user: 'a', value: s } })),
  form('a form field', bare, (s) => `user[password]=${s}&a=1`),
  form('ADO', bare, (s) => `Server=db;User Id=sa;Password=${s};Encrypt=yes`),
  form('Ruby', quoted, (s) => `{:password => ${JSON.stringify(s)}, :user => "app"}`),
  form('API key in a sentence', bare, (s) => `Invalid API key: ${s}`),
  form('Authorization', header, (s) => `GET / HTTP/1.1\r\nAuthorization: ${s}\r\nHost: x`),
  form('Authorization: Basic', header, (s) => `Proxy-Authorization: Basic ${s}\nHost: x`),
  form('Authorization: Digest', header, (s) => `authorization: Digest username="bob", response="${s}"`),
  form('Authorization in curl', header, (s) => `curl -H "Authorization: Bearer ${s}" https://api.example`),
  form('Cookie', header, (s) => `Cookie: theme=dark; a="b"; sid=${s}; lang=en`),
  form('Set-Cookie', header, (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly`),
  form('Bearer alone', '._-', (s) => `token rejected: Bearer ${s}`),
  form('private key', '+/\n=', (s) => `bad key -----BEGIN ${pem}-----\n${s}\n-----END ${pem}-----`),
  form('private key, cut off', '+/\n=', (s) => `bad key -----BEGIN ${pem}-----\n${s}`),
  form('row of PostgreSQL', quoted, (s) => `DETAIL: Failing row contains (1, ${s}, null).`),
  form('key of PostgreSQL', quoted, (s) => `violates "u"\nDETAIL:  Key (a, b)=(1, ${s}) already exists.`),
  form('foreign key of PostgreSQL', quoted, (s) => `Key (email)=(${s}) is not present in table "people".`),
  form('values of Drizzle', quoted, (s) => `Failed query: insert into p values ($1)\nparams: 2,${s},1`),
  form('key of MySQL', quoted, (s) => `Duplicate entry '${s}' for key 'people.email'`),
];

/** Beginnings of tokens, in pieces so that no scanner takes this file for a leak. */
const tokens = [
  'AI|zaSy',
  'gh|p_',
  'gh|s_',
  'github|_pat_',
  'gl|pat-',
  'np|m_',
  'xo|xb-1',
  'xo|xp-1',
  'sk|_live_',
  'rk|_test_',
  'wh|sec_',
  'sk|-',
  'sk|-proj-',
  'S|G.',
  'h|f_',
  'ey|JhbGciOi.eyJ',
].map((start) =>
  form(`token ${start}`, '', (s) => `request with ${start.replace('|', '')}${s}${s} was refused`),
);

export const forms: readonly Form[] = [...urls, ...values, ...others, ...tokens];

/** Where a text stands in another. */
export const places: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Error: ${text}`,
  (text) => `(${text})`,
  (text) => `first line\n${text}`,
  (text) => `${text}\n    at Object.<anonymous> (/app/server.js:10:5)`,
  (text) => `status: 500; ${text}`,
  (text) => JSON.stringify({ code: 1, msg: text, mail: 'bob@example.org' }),
  (text) => JSON.stringify(JSON.stringify({ msg: text, next: 'x' })),
  (text) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ msg: text }) }) }),
  (text) => inspect({ message: text, port: 5432 }),
];

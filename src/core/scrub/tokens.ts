import { type Family, hidden } from './family.js';
import { hints } from './hints.js';
import { isProse, looksRandom } from './names.js';

/** Characters that follow such a beginning: `ghp_&16` is `ghp_` and 16 or more letters and digits. */
const classes: Readonly<Record<string, string>> = {
  '#': '\\w',
  '@': '[\\w-]',
  ';': '[\\w.-]',
  '!': '[\\w+/=-]',
  '%': '[a-f0-9]',
  '&': '[A-Za-z0-9]',
};

/** @internal Beginnings by which services mark their tokens, with the least that follows them. */
export const prefixes: readonly string[] = [
  // JSON web tokens and similar ones; private keys of OpenSSH and PEM in base64.
  'eyJ@5(?:\\.[\\w-]*){0,4} b3BlbnNzaC1rZXktdjE[\\w]* LS0tLS1CRUdJTi(?!BDRVJU)[\\w]*',
  // AWS, Google, Azure, Alibaba, Yandex
  '(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16} ABSK[\\w+/=]{40,} AIza@30 ya29\\.@10 GOCSPX-@16 GOOG#16 1//0@20',
  '[\\w~.]{3}\\dQ~[\\w~.-]{31,} LTAI&12 AQVN@30 t1\\.@20',
  // code hosts and registries
  'gh[pousr]_&16 github_pat_#16 gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|oas|ffct|wt)-;16',
  'GR1348941@16 ATATT3[\\w=-]{16,} ATCTT3[\\w=-]{16,} ATBB#24 npm_&16 pypi-@16 rubygems_%16',
  'CLOJARS_[a-z0-9]{16,} dckr_(?:pat|oat)_@16 AKCp&16 cmVmdGtu&20 CCIPAT_#16 bkua_#16 sgp_#16',
  'sq[apu]_%16 figd_@16 PMAK-@16 pul-%16',
  // messages and mail
  'xox[a-z](?:\\.xox[a-z])?-@8 xoxe\\.;8 xapp-@8 SG\\.;16 key-%24 pubkey-%24 xkeysib-@16 xsmtpsib-@16',
  'SK[a-f0-9]{32} [a-f0-9]{32}-us\\d{1,2} md-@20 re_&6_#12 [MNO][\\w-]{23,26}\\.[\\w-]{6}\\.@27',
  'mfa\\.@20',
  // payment and shops
  '[rsp]k_(?:live|test|prod)_#8 whsec_[\\w+/=]{12,} sq0[a-z]{3}-@16 EAAA@24 EAA[MCG]@24',
  'shp(?:at|ca|pa|ss|tka)_#16 shippo_(?:live|test)_#16 EZ[AT]K#24 FLW(?:SECK|PUBK)[_-]\\w*-?#12',
  'rzp_(?:live|test)_#10 duffel_(?:live|test)_@16',
  'access-(?:sandbox|development|production)-[a-f0-9-]{32,}',
  // language models
  'sk-(?:ant-|proj-|svcacct-|admin-|or-|lf-)?@16 hf_&16 api_org_&16 r8_#16 gsk_#16 xai-#16 pplx-#16',
  'pcsk_#16 lsv2_(?:pt|sk)_#16',
  // platforms
  'd(?:op|oo|or)_v1_%16 HRKU-@16 dp\\.(?:pt|st|ct|sa|scim|audit|said)\\.;16 hv[sbr]\\.@16',
  's\\.[A-Za-z0-9]{24}(?![A-Za-z0-9]) [a-z0-9]{14}\\.atlasv1\\.@20 dapi%24(?:-\\d)? dose%24 sha256~@30',
  'tskey-@12 nf[pcu]_#16 vc[piark]_#16 sbp_%16 sb_secret_@12 rnd_#16 napi_#16',
  'pscale_(?:tkn|pw|oauth)_;16 fo1_@16 fm[12][ar]?_!16 v1\\.0-[a-f0-9]{24}-%40 pnu_#16 ops_eyJ@8',
  'A3-[A-Z0-9]{6}-[A-Z0-9-]{20,} AGE-SECRET-KEY-1[0-9A-Z]{20,}',
  // watching, measuring, support
  'glc_!16 glsa_#16 sntry[su]_!16 NR(?:AK|JS|II|AL|RA|SP)-?#16',
  'dt0[a-z]\\d{2}\\.[A-Z0-9]{16,}(?:\\.[A-Z0-9]{16,})? dd[ap]_#16 lin_(?:api|oauth)_#16 ntn_#16',
  'secret_&32 pat-(?:na|eu)\\d-[a-f0-9-]{32,} pat[A-Za-z0-9]{14}\\.%32 tfp_;16 CFPAT-@16',
  '(?:sdk|mob|api)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9-]{16,} rdme_#16 ico-#24 dnkey-@20',
  'p8e-#24 API-[A-Z0-9]{24,} sl\\.@40 AAAAAAAAAAAAAAAAAAAA[\\w%]{30,} AAAA[\\w-]{7}:APA91b@30',
]
  .join(' ')
  .replace(/([#@;!%&])(\d+)/g, (_, kind: string, least: string) => `${classes[kind]}{${least},}`)
  .split(' ');

/** A run of token characters, long enough for one. */
const longRun = /(?<![\w~.+/=:-])[\w~.+/=:-]{18,}/g;
const marked = new RegExp(`(?<![A-Za-z0-9])(?:${prefixes.join('|')})`, 'g');

export const tokens: Family = {
  name: 'token',
  hint: hints.tokens,
  scrub: (text) =>
    text.replace(longRun, (run) => (hints.tokens.test(run) ? run.replace(marked, hidden) : run)),
};

const telegram = /(?<!\d)\d{8,10}:AA[\w-]{30,}/g;
/** Hashes of passwords as crypt, bcrypt, scrypt and argon2 write them. */
const hashes = /\$(?:2[abxy]|apr1|argon2(?:i|d|id)|[156y]|scrypt|pbkdf2(?:-\w{1,10})?)\$[\w./+=,$-]{16,}/g;

export const bots: Family = {
  name: 'token of a bot, hash of a password',
  hint: hints.bots,
  scrub: (text) => text.replace(telegram, hidden).replace(hashes, hidden),
};

const schemes = /\b(bearer|basic|digest|negotiate|token|api-?key)([ \t]{1,3}["']?|%20)([\w.~+/=:-]{6,})/gi;

/** `Bearer …` and its like without a header name before it. */
export const schemed: Family = {
  name: 'Bearer and Basic',
  hint: hints.schemed,
  scrub: (text) =>
    text.replace(schemes, (whole, scheme: string, space: string, value: string) =>
      isCredential(scheme.toLowerCase(), value) ? `${scheme}${space}${hidden}` : whole,
    ),
};

function isCredential(scheme: string, value: string): boolean {
  // `Bearer error="invalid_token"` is a server's challenge.
  if (isProse(value) || /^[a-z_]{3,30}=/.test(value)) return false;
  if (scheme === 'bearer') return true;
  if (scheme === 'token') return value.length >= 16 && /\d/.test(value) && /[a-z]/i.test(value);
  return value.length >= (scheme.startsWith('api') ? 12 : 8) && looksRandom(value) && /[a-z]/i.test(value);
}

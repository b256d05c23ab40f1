import { type Family, hidden } from './family.js';
import { hints } from './hints.js';
import { isProse, looksRandom } from './names.js';

/** @internal Beginnings by which services mark their tokens, with the least that follows them. */
export const prefixes: readonly string[] = [
  // JSON web tokens and similar ones; private keys of OpenSSH and PEM in base64.
  'eyJ[\\w-]{5,}(?:\\.[\\w-]*){0,4}',
  'b3BlbnNzaC1rZXktdjE[\\w]*',
  'LS0tLS1CRUdJTi(?!BDRVJU)[\\w]*',
  // AWS, Google, Azure, Alibaba, Yandex
  '(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}',
  'ABSK[\\w+/=]{40,}',
  'AIza[\\w-]{30,}',
  'ya29\\.[\\w-]{10,}',
  'GOCSPX-[\\w-]{16,}',
  'GOOG[\\w]{16,}',
  '1//0[\\w-]{20,}',
  '[\\w~.]{3}\\dQ~[\\w~.-]{31,}',
  'LTAI[A-Za-z0-9]{12,}',
  'AQVN[\\w-]{30,}',
  't1\\.[\\w-]{20,}',
  // code hosts and registries
  'gh[pousr]_[A-Za-z0-9]{16,}',
  'github_pat_\\w{16,}',
  'gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|oas|ffct|wt)-[\\w.-]{16,}',
  'GR1348941[\\w-]{16,}',
  'ATATT3[\\w=-]{16,}',
  'ATCTT3[\\w=-]{16,}',
  'ATBB[\\w]{24,}',
  'npm_[A-Za-z0-9]{16,}',
  'pypi-[\\w-]{16,}',
  'rubygems_[a-f0-9]{16,}',
  'CLOJARS_[a-z0-9]{16,}',
  'dckr_(?:pat|oat)_[\\w-]{16,}',
  'AKCp[A-Za-z0-9]{16,}',
  'cmVmdGtu[A-Za-z0-9]{20,}',
  'CCIPAT_\\w{16,}',
  'bkua_\\w{16,}',
  'sgp_\\w{16,}',
  'sq[apu]_[a-f0-9]{16,}',
  'figd_[\\w-]{16,}',
  'PMAK-[\\w-]{16,}',
  'pul-[a-f0-9]{16,}',
  // messages and mail
  'xox[a-z](?:\\.xox[a-z])?-[\\w-]{8,}',
  'xoxe\\.[\\w.-]{8,}',
  'xapp-[\\w-]{8,}',
  'SG\\.[\\w.-]{16,}',
  'key-[a-f0-9]{24,}',
  'pubkey-[a-f0-9]{24,}',
  'xkeysib-[\\w-]{16,}',
  'xsmtpsib-[\\w-]{16,}',
  'SK[a-f0-9]{32}',
  '[a-f0-9]{32}-us\\d{1,2}',
  'md-[\\w-]{20,}',
  're_[A-Za-z0-9]{6,}_[\\w]{12,}',
  '[MNO][\\w-]{23,26}\\.[\\w-]{6}\\.[\\w-]{27,}',
  'mfa\\.[\\w-]{20,}',
  // payment and shops
  '[rsp]k_(?:live|test|prod)_[\\w]{8,}',
  'whsec_[\\w+/=]{12,}',
  'sq0[a-z]{3}-[\\w-]{16,}',
  'EAAA[\\w-]{24,}',
  'EAA[MCG][\\w-]{24,}',
  'shp(?:at|ca|pa|ss|tka)_[\\w]{16,}',
  'shippo_(?:live|test)_\\w{16,}',
  'EZ[AT]K\\w{24,}',
  'FLW(?:SECK|PUBK)[_-]\\w*-?\\w{12,}',
  'rzp_(?:live|test)_\\w{10,}',
  'duffel_(?:live|test)_[\\w-]{16,}',
  'access-(?:sandbox|development|production)-[a-f0-9-]{32,}',
  // language models
  'sk-(?:ant-|proj-|svcacct-|admin-|or-|lf-)?[\\w-]{16,}',
  'hf_[A-Za-z0-9]{16,}',
  'api_org_[A-Za-z0-9]{16,}',
  'r8_\\w{16,}',
  'gsk_\\w{16,}',
  'xai-\\w{16,}',
  'pplx-\\w{16,}',
  'pcsk_\\w{16,}',
  'lsv2_(?:pt|sk)_\\w{16,}',
  // platforms
  'd(?:op|oo|or)_v1_[a-f0-9]{16,}',
  'HRKU-[\\w-]{16,}',
  'dp\\.(?:pt|st|ct|sa|scim|audit|said)\\.[\\w.-]{16,}',
  'hv[sbr]\\.[\\w-]{16,}',
  's\\.[A-Za-z0-9]{24}(?![A-Za-z0-9])',
  '[a-z0-9]{14}\\.atlasv1\\.[\\w-]{20,}',
  'dapi[a-f0-9]{24,}(?:-\\d)?',
  'dose[a-f0-9]{24,}',
  'sha256~[\\w-]{30,}',
  'tskey-[\\w-]{12,}',
  'nf[pcu]_\\w{16,}',
  'vc[piark]_\\w{16,}',
  'sbp_[a-f0-9]{16,}',
  'sb_secret_[\\w-]{12,}',
  'rnd_\\w{16,}',
  'napi_\\w{16,}',
  'pscale_(?:tkn|pw|oauth)_[\\w.-]{16,}',
  'fo1_[\\w-]{16,}',
  'fm[12][ar]?_[\\w+/=-]{16,}',
  'v1\\.0-[a-f0-9]{24}-[a-f0-9]{40,}',
  'pnu_\\w{16,}',
  'ops_eyJ[\\w-]{8,}',
  'A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}',
  'AGE-SECRET-KEY-1[0-9A-Z]{20,}',
  // watching, measuring, support
  'glc_[\\w+/=-]{16,}',
  'glsa_\\w{16,}',
  'sntry[su]_[\\w+/=-]{16,}',
  'NR(?:AK|JS|II|AL|RA|SP)-?\\w{16,}',
  'dt0[a-z]\\d{2}\\.[A-Z0-9]{16,}(?:\\.[A-Z0-9]{16,})?',
  'dd[ap]_\\w{16,}',
  'lin_(?:api|oauth)_\\w{16,}',
  'ntn_\\w{16,}',
  'secret_[A-Za-z0-9]{32,}',
  'pat-(?:na|eu)\\d-[a-f0-9-]{32,}',
  'pat[A-Za-z0-9]{14}\\.[a-f0-9]{32,}',
  'tfp_[\\w.-]{16,}',
  'CFPAT-[\\w-]{16,}',
  '(?:sdk|mob|api)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9-]{16,}',
  'rdme_\\w{16,}',
  'ico-\\w{24,}',
  'dnkey-[\\w-]{20,}',
  'p8e-\\w{24,}',
  'API-[A-Z0-9]{24,}',
  'sl\\.[\\w-]{40,}',
  'AAAAAAAAAAAAAAAAAAAA[\\w%]{30,}',
  'AAAA[\\w-]{7}:APA91b[\\w-]{30,}',
];

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

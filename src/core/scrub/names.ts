/** How sure a name makes us that its value is a secret: of a weak one the value must look like a secret too. */
export type Strength = 'strong' | 'weak' | 'header' | undefined;

/** Passwords in other scripts. */
const foreign = /парол|密码|密碼|パスワード|비밀번호/i;
/** Every name of a secret contains one of these: a quick test before the name is split. */
const stems = new RegExp(
  `pass|kennwort|senha|contrase|clave|secret|token|key|auth|cookie|sess|cred|sig|jwt|sid|csrf|xsrf|otp|pin|cvv|cvc|saml|assertion|bearer|basic|mdp|pw|${foreign.source}`,
  'i',
);

/** Parts that mark a secret anywhere in a name, as in PGPASSWORD. */
const strongParts =
  /passw(?:or[dt]|d)|passphrase|passcode|kennwort|contrase(?:ñ|n)a|motdepasse|secret|credential|connectionstring|userpwd|apikey|accesskey|accountkey|privatekey|sharedaccesskey|authtoken|accesstoken|refreshtoken|idtoken|clientassertion/;
const strongWords = new Set('pwd pass pw passwd mdp senha jwt bearer cvv cvc cred creds'.split(' '));
const weakWords = new Set(
  'token basic auth session sess sessid sessionid phpsessid jsessionid sid sig signature csrf xsrf csrftoken xsrftoken otp pin assertion samlresponse samlrequest'.split(
    ' ',
  ),
);
/** A key is a secret by the word before it: a primary key is not one. */
const keyKinds = new Set(
  'api access secret private account shared signing encryption decryption master auth subscription license client storage consumer ssh deploy functions hmac session admin app application service webhook integration sas write ingest server instrumentation'.split(
    ' ',
  ),
);
/** These end the names of facts about a secret, not of the secret. */
const facts = new Set(
  'name names type types count length len size limit limits url uri endpoint path file dir at expires expiry expiration expire ttl age policy field fields index header prefix version algorithm alg min max required enabled disabled hint status state error errors class position reset changed valid invalid strength manager provider store arn usage budget ref refs method methods role roles bits format mode timeout retries attempts seconds minutes hours days ms label title text message reason lifetime rotation location scheme issuer bucket table column'.split(
    ' ',
  ),
);
/** Headers whose value extends to the end of the line. */
const headers = /(?:^|-)(?:authorization|(?:set-)?cookie2?|signature(?:-256)?)$/;

/** Whether the value of this name must not be shown: `db_pass`, `X-Api-Key`, `clientSecret`. */
export function strengthOf(name: string): Strength {
  if (!stems.test(name)) return undefined;
  if (foreign.test(name)) return 'strong';
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z\dñ]/)
    .filter((word) => word !== '');
  const last = words.at(-1);
  if (last === undefined) return undefined;
  // Of a header the letters may be of any case.
  if (headers.test(words.join('-')) || headers.test(name.toLowerCase())) return 'header';
  if (words.length > 1 && facts.has(last)) return undefined;
  const joined = words.join('');
  // The id of a key is public, that of a session or an AppRole's secret is not.
  if (last === 'id' && !/(?:session|secret)id$/.test(joined)) return undefined;
  if (strongParts.test(joined) || words.some((word) => strongWords.has(word))) return 'strong';
  if (strongWords.has(joined)) return 'strong';
  if (last === 'key' && keyKinds.has(words.at(-2) ?? '')) return 'strong';
  if (/pwd$|pass$/.test(last) && !/by ?pass$|com ?pass$|sur ?pass$|tres ?pass$/.test(last)) return 'strong';
  if (words.some((word) => weakWords.has(word))) return 'weak';
  return /(?:token|sessionid|auth)$/.test(joined) ? 'weak' : undefined;
}

/** Words that follow a colon in a sentence about a secret and are not secrets: "password: must not be empty". */
const prose = new Set(
  'a an the this that these it its is was are were be been being has have had do does did must should shall may might can could cannot will would not no none yes on off ok and or but for from of in into at to by with without as if than then too very null nil undefined true false nan empty blank missing required optional invalid valid wrong incorrect bad unexpected expected expired unknown unsupported unauthorized denied refused rejected failed failure error please use using used set unset see got given length minimum maximum at-least least most only string number boolean object function array value field enter contains contain needs need already never always changed updated removed deleted disabled enabled default redacted hidden masked filtered omitted authentication authorization auth token tokens scheme credentials realm header information access malformed mismatch read write success successful basic bearer digest negotiate found there we you your he she they user ist muss darf nicht fehlt ungültig doit est pas debe es deve non deben'.split(
    ' ',
  ),
);

/** Whether a word is one of a sentence. */
export function isProse(word: string): boolean {
  return word.length <= 24 && prose.has(word.toLowerCase().replace(/[.,;:!?)\]}"']{1,3}$/, ''));
}

/** Whether a word is more than a word: a digit, a capital after a small letter, or too long to be read. */
export function looksRandom(word: string): boolean {
  return /\d|[a-z][A-Z]|[A-Za-z][+/=]/.test(word) || word.length >= 24;
}

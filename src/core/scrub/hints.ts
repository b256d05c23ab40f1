/** No text is searched further than this: the rest is cut off. */
export const maxDistance = 16_384;

/** Every text that holds a secret of a family contains one of these: a text without any is shown as it is, and needs no search. */
export const hints = {
  rows: /row|key|value|near|param|invalid|malformed|token|time zone|entry|JSON|incorrect|path|COPY|string|args|bindings|replacements|enum|\bset\b|\bfrom\b|into|prisma/i,
  privateKeys: /---- ?(?:BEGIN|END) /,
  urls: /:\/\//,
  logins: /@/,
  paths:
    /hook|bot|office|\/key\/|pagerduty|make\.com|reset|verify|confirm|invit|magic|activate|unsubscribe|ping|heartbeat|token|session/i,
  commands:
    /(?:^|[^\w-])--?[a-z]|:(?:\d{3,5}|\*):|AUTH |PASS |auth["'\\]|identified|pass|pwd|secret|token|api|SETUSER |ENV |ARG |value|name=|["'],\s{0,3}[\\"']/i,
  elements: /<[\w:.-]{1,40}>/,
  pairs: /[:=]|->|%3[ad]/i,
  schemed: /bearer|basic|digest|negotiate|token|api-?key/i,
  bots: /:AA|\$[\w-]{1,20}\$/,
  // Hardly in the path of a file in a stack.
  tokens: /(?<![\w~-])[\w~-]{16}|eyJ|xox|ABSK|(?:whsec|glc|sntry[su]|fm[12][ar]?)_/,
} as const;

/** The names of our own checks are as long as a token, and none of its parts is. */
const ownName = /^check_[a-z]{1,12}_[a-z]{1,12}$/;
/** No token is shorter: most names of checks are. */
const longRun = /[\w~.+/=:-]{18}/;

/** Whether a text may hold a secret. */
export function mayHide(text: string): boolean {
  if (ownName.test(text)) return false;
  for (const hint of Object.values(hints)) {
    if (hint.test(text) && (hint !== hints.tokens || longRun.test(text))) return true;
  }
  return false;
}

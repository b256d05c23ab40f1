/** Where a value begins in the message of a database, and the text after it. */
export interface RowShape {
  readonly start: RegExp;
  /** The text after the value, the most precise first. Without any, the rest of the message is hidden. */
  readonly ends: readonly RegExp[];
  /** Whether the words before the value are too common to hide anything unless an end follows. */
  readonly needsEnd?: boolean;
}

const bracket = /\)/g;
const quote = /["'`]/g;
const doubleQuote = /"/g;
/** Names of constraints, tables and columns are not values: they stay. */
export const rowShapes: readonly RowShape[] = [
  // Texts that drivers and object mappers print next to a statement. First: they may contain anything that is below.
  { start: /Raw query failed\. Code: \\{0,8}`\w{1,9}\\{0,8}`\. Message: \\{0,8}`/g, ends: [/`/g] },
  { start: /SQLState: \w{5}\) (?:(?!SQLState: )[^]){0,3000}?\nsql: /g, ends: [] },
  { start: /(?:parameters|params|bindings|replacements)\\{0,8}["']?: ?\[/gi, ends: [/\]/g] },
  // PostgreSQL
  { start: /Failing row contains \(/g, ends: [bracket] },
  {
    start: /Key \([^\n=]{1,300}\)=\(/g,
    ends: [/\)(?= (?:already exists|is not present|is still referenced|is duplicated))/g, bracket],
  },
  { start: /value \\{0,8}"/g, ends: [/"(?=\\{0,8} is (?:out of range|not a valid))/g], needsEnd: true },
  { start: /parameters?:? (?=\$1 ?=)/g, ends: [] },
  { start: /JSON data, line \d{1,9}: /g, ends: [] },
  {
    start:
      /(?:COPY [\w."]{1,130}, line \d{1,12}(?:, column [\w"]{1,64})?:|invalid input (?:syntax|value) for [^":\n]{1,80}:|value out of range:|malformed \w{1,20} literal:|at or near|Token|time zone) \\{0,8}"/g,
    ends: [doubleQuote],
  },
  // MySQL and MariaDB
  { start: /Duplicate entry \\{0,8}["']/g, ends: [/["'](?=\\{0,8} for key)/g, quote] },
  {
    start:
      /(?:incorrect [\w ]{1,40} value:|Invalid JSON text[^"'\n]{0,60}:|syntax to use near) \\{0,8}["']/gi,
    ends: [/["'](?= for (?:column [`'][\w.`$]{1,200}[`'] at row|function \w))/g, quote],
  },
  // SQLite, SQL Server, Oracle, Elasticsearch, MongoDB, Mongoose, Redis
  { start: /near \\{0,8}"/g, ends: [/"(?=\\{0,8}: syntax error)/g], needsEnd: true },
  { start: /(?:duplicate key value is|row with column values) \(/g, ends: [bracket] },
  {
    start:
      /(?:when converting the [^'"\n]{1,40} value|Truncated value:|failed for value|with value|Preview of field's value:|For input string:) \\{0,8}["'`]/gi,
    ends: [quote],
  },
  { start: /(?:dup key:|keyValue\\{0,8}["']?:) ?\{/g, ends: [/\}/g] },
  { start: /Path `[^`\n]{1,100}` \(/g, ends: [/\)(?= (?:is|must|exceeds)\b|\.)/g], needsEnd: true },
  { start: /(?<=[:,] )`/g, ends: [/`(?= is not a valid enum value)/g], needsEnd: true },
  { start: /with args beginning with: /g, ends: [] },
];

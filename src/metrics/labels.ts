const special = /[\\"\n]/g;
const escaped = (character: string) => (character === '\n' ? '\\n' : `\\${character}`);

/** The labels of a series, as text and as data. The text is made once: a scrape writes it many times. */
export class LabelSet {
  readonly pairs: Readonly<Record<string, string>>;
  /** As both formats write them: `check="storage",status="ok"`. */
  readonly text: string;

  constructor(pairs: Readonly<Record<string, string>>) {
    this.pairs = pairs;
    const texts = Object.entries(pairs).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
    this.text = texts.join(',');
  }
}

export const noLabels = new LabelSet({});

/** A value as written between quotes. */
function escapeLabel(value: string): string {
  return value.replace(special, escaped);
}

/** A help text: one format escapes quotes, the other does not. */
export function escapeHelp(help: string, quotes: boolean): string {
  return help.replace(quotes ? special : /[\\\n]/g, escaped);
}

import type { Format } from './exposition.js';

const openType = 'application/openmetrics-text';
/** Beyond this no header of a scraper is read. */
const maxLength = 2000;

/**
 * The format that an `Accept` header asks for. OpenMetrics only if it is named, in the version we write, and not after the
 * older format; everything else gets that.
 */
export function formatOf(accept: string): Format {
  let open = 0;
  let text = 0;
  let wildcard = 0;
  for (const part of accept.slice(0, maxLength).toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const version = valueOf(parameters, 'version');
    const quality = qualityOf(valueOf(parameters, 'q'));
    if (type === openType) {
      if (version === undefined || version === '1.0.0') open = Math.max(open, quality);
    } else if (type === 'text/plain') text = Math.max(text, quality);
    else if (type === 'text/*' || type === '*/*') wildcard = Math.max(wildcard, quality);
  }
  return open > 0 && open >= (text || wildcard) ? 'openmetrics' : 'text';
}

function valueOf(parameters: readonly string[], name: string): string | undefined {
  const found = parameters.find((parameter) => parameter.startsWith(`${name}=`));
  return found?.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
}

function qualityOf(text = '1'): number {
  const quality = Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
}

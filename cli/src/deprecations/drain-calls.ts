import { codeOf } from '../../../src/core/options/deprecation.js';

/** The call that took the server before the Health. */
export const oldDrain = {
  old: 'drainOnSignals(server, health)',
  now: 'drainOnSignals(health, { server })',
  code: codeOf(5),
};

/** The lines with such a call, from 1 on. A worker has always given the Health first. */
export function oldDrainsIn(text: string): readonly number[] {
  if (!text.includes('lifesign/drain')) return [];
  return Array.from(text.matchAll(/\bdrainOnSignals\(/g), (call) => call.index).flatMap((index) => {
    const given = argumentsOf(text.slice(text.indexOf('(', index) + 1));
    return isOld(given) ? [text.slice(0, index).split('\n').length] : [];
  });
}

/** The Health is recognised by its name, or by the next argument: an object, or nothing. */
function isOld([first = '', second = '', third]: readonly string[]): boolean {
  return third !== undefined || (second !== '' && !second.startsWith('{') && !/health\w*$/i.test(first));
}

const maxLength = 2000;

/** The arguments of a call, as they are written. Strings with brackets or commas in them are rare there. */
function argumentsOf(rest: string): readonly string[] {
  const given = [''];
  let depth = 0;
  for (const letter of rest.slice(0, maxLength)) {
    if (depth === 0 && letter === ')') break;
    if ('([{'.includes(letter)) depth += 1;
    if (')]}'.includes(letter)) depth -= 1;
    if (depth === 0 && letter === ',') given.push('');
    else given[given.length - 1] += letter;
  }
  return given.map((each) => each.trim()).filter((each) => each !== '');
}

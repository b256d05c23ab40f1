/**
 * Where a message id or an error code is explained: its section on the web, or the command that prints the section offline.
 *
 * @example helpFor('health.E001') // 'npx lifesign-cli explain health.E001'
 */
export function helpFor(id: string, site = homepage): string {
  if (site === '') return `npx lifesign-cli explain ${id}`;
  const page = id.startsWith('LIFESIGN_') ? 'errors' : 'messages';
  // The anchors of the site: lower case, without the dot.
  return `${site}${page}.html#${id.toLowerCase().replaceAll('.', '')}`;
}

/** The same as a line for a terminal or a log. */
export const moreAbout = (id: string): string => `More: ${helpFor(id)}`;

const own = /^health\.[A-Z]\d{3}$/;

/** Whether a message id is one of lifesign's own, which the documentation explains. */
export const isExplained = (id: string): boolean => own.test(id);

/** The hint of a message in the log: the hint of the check, and the command or address that explains the id if it is one of ours. */
export function hintFor(id: string, hint: string | undefined): string | undefined {
  if (!isExplained(id)) return hint;
  return hint === undefined ? moreAbout(id) : `${hint} ${moreAbout(id)}`;
}

/** The address of the documentation, with a slash at its end, as `homepage` of package.json has it; empty while there is none. */
export const homepage: string = '';

import type { Block } from './section.js';

/** How to keep a message from failing the heartbeat; `undefined` for an error code, which cannot be silenced. */
export function silencing(id: string, check = 'NAME_OF_THE_CHECK'): Block | undefined {
  const [, kind] = /^health\.([A-Z])\d{3}$/.exec(id) ?? [];
  if (kind === undefined) return undefined;
  const name = /^[a-z_]\w*$/i.test(check) ? check : JSON.stringify(check);
  const drop = [
    ['code', `silencedChecks: ['${id}']`],
    ' or ',
    ['code', `HEALTH_SILENCED_CHECKS=${id}`],
  ] as const;
  const pieces =
    kind === 'I'
      ? (['It does not fail the heartbeat. To drop it, set ', ...drop, '.'] as const)
      : ([
          'If you cannot fix the cause now: ',
          ['code', `checkOptions: { ${name}: { maxLevel: 'info' } }`],
          ' keeps the check from failing the heartbeat, and ',
          ...drop,
          ' drops this message everywhere.',
        ] as const);
  return { kind: 'paragraph', pieces };
}

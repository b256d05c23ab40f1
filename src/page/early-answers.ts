import { type Answer, json, text } from '../core/endpoints.js';

/** The paths of the health page. */
export type PageResource = 'html' | 'json' | 'events' | 'badge';

export const answerPageBroken: Answer = json(500, '{"error":"the health page failed"}');
/** Relative, so that it also works behind a proxy that serves the application under a prefix. */
export const answerPageMoved = (pagePath: string): Answer =>
  text(308, 'text/plain', '', { Location: `..${pagePath.slice(pagePath.lastIndexOf('/'))}` });

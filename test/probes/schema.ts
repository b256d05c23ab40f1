import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

const file = new URL('../../schemas/probe.schema.json', import.meta.url);
const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false });

/** Whether a value is the body of a probe. */
const isProbeBody = ajv.compile<{ status: 'pass' | 'fail'; reason?: string }>(
  JSON.parse(readFileSync(file, 'utf8')),
);

/** The body of a probe; throws where it does not fit its schema, or not the status code. */
export function probeBody(status: number, body: string): { status: 'pass' | 'fail'; reason?: string } {
  const parsed: unknown = JSON.parse(body);
  if (!isProbeBody(parsed)) throw new Error(`${body}\n${ajv.errorsText(isProbeBody.errors)}`);
  if (status !== (parsed.status === 'pass' ? 200 : 503)) throw new Error(`${body} with ${status}`);
  return parsed;
}

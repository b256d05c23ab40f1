import { expect } from 'vitest';
import { inProcess } from '../run.js';

/** Applies init to a project, which starts it and verifies it; a second run changes nothing. */
export async function expectVerified(cwd: string): Promise<void> {
  const { code, stdout, stderr } = await inProcess(['init', '--write'], { cwd });
  expect(`${stdout}${stderr}`).toMatch(/ 0 failed/);
  // Its last lines are the health of the service.
  expect(stderr).toMatch(
    /\n\/__heartbeat__ \d{3} \{"status":.*\n(?:no checks are registered\n)?\/readyz \d{3} .*\n$/,
  );
  expect(code).toBe(0);
  expect(await inProcess(['init'], { cwd })).toMatchObject({ code: 0, stdout: '' });
}

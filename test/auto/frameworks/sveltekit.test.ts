import { expect } from 'vitest';
import { frameworks } from './fixture.js';
import { prove } from './prove.js';

prove(frameworks.sveltekit, {
  async more(app) {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: app.origin };
    const answer = await fetch(`${app.origin}/action`, { method: 'POST', headers, body: 'a=1' });
    expect(answer.status).toBe(200);
    return ['POST /action 200'];
  },
});

import { checks, Health } from 'lifesign/fetch';
import { addDiskCheck, nameOf, warning } from './plugin.cjs';

const health = new Health(undefined, { summary: false, logger: { log: () => {} } });
addDiskCheck(health);
health.check('storage', () => [warning]);

class Shop {
  readonly text: string = 'Slow';
  @health.check
  bare() {
    return [new checks.Info(this.text, { id: 'acme.I001' })];
  }
  @health.check('named', { timeout: 1000 })
  async other() {
    return [new checks.Info(this.text, { id: 'acme.I001' })];
  }
  @health.versionCallback
  version(versionPath: string) {
    return { versionPath, text: this.text };
  }
}
new Shop();

const { results } = await health.heartbeat();
console.log(
  nameOf(health),
  warning instanceof checks.Warning,
  results.map(({ name, status }) => `${name} ${status}`).join(),
);

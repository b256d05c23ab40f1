import type { Reporter, TestCase } from 'vitest/node';

/** Names the tests that passed only when they were tried again: each of them is to be mended. */
export default class Retried implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const times = test.diagnostic()?.retryCount ?? 0;
    if (times > 0 && test.ok()) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#names.length === 0) return;
    console.log(`\n Passed at the second try (${this.#names.length}):\n   ${this.#names.join('\n   ')}\n`);
  }
}

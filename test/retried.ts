import type { Reporter, TestCase } from 'vitest/node';
import { sample, whole } from './whole.js';

/** Prints which cases were taken, and the tests that passed only when they were tried again: each of them is to be mended. */
export default class Retried implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const times = test.diagnostic()?.retryCount ?? 0;
    if (times > 0 && test.ok()) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    const times = this.#names.length;
    if (!whole)
      console.log(`\n Cases of sample ${sample}: SAMPLE=${sample} runs them again, WHOLE=true all of them`);
    const list = times === 0 ? '' : `:\n   ${this.#names.join('\n   ')}`;
    console.log(` ${times} ${times === 1 ? 'test' : 'tests'} needed a second try${list}\n`);
  }
}

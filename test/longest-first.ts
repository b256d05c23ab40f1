import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short files that take long: vitest starts the larger files first, and would have one of these run alone at the end. */
const isLong = ({ moduleId }: TestSpecification) =>
  /\/test\/faults\/(?:leak|probes)\.test\.ts$/.test(moduleId);

/** The order of vitest, with these first in their project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of the sequencer, not of an array.
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

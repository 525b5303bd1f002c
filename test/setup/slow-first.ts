import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests start many processes, or wait for them. */
const SLOW =
  /runners\/(?:claude|pi)|killed|openbot\/test\/(?:commands|coding-runs)\/|in-use|session-db|claude-code\/test\/run\/|published|hardship/;

/** A slow file that begins last keeps one worker busy while the others have nothing left to do. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

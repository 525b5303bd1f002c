import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose tests start many processes, or wait for them. */
const SLOW = new RegExp(
  [
    'runners/(?:claude|pi)/',
    'killed',
    'openbot/test/(?:commands|coding-runs)/',
    'in-use/',
    'session-db/',
    'claude-code/test/(?:run|processes|project-status)/',
    'published',
    'hardship',
    'every-command',
    'cli/run-',
    'bot/(?:streaming|lasting-failure|heartbeat|queue-modes|permissions|access)',
    'heartbeats/',
    'storage/contract',
    'provider-down',
    '-effects',
    'watch-config',
    'blocked-host',
    'channel-keeper',
    'gateway-(?:process|worker)/',
    'idle-memory',
    'machine-zone',
  ].join('|'),
);

/** A slow file that begins last keeps one worker busy while the others have nothing left to do. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

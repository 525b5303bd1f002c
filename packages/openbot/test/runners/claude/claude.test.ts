import { afterAll, beforeAll, describe } from 'vitest';
import { ClaudeBench } from '../../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../../test/imitations/claude-binary.ts';
import { HUNT, isTorture } from '../../../../../test/setup/hunt.ts';
import { openClaudeRunner } from '../../../src/runners/claude/runner.ts';
import { testRunner } from '../contract-suite.ts';
import { playOnApi } from './scripted-provider.ts';

const binary = findClaudeBinary();
const isMissing = 'missing' in binary;

describe.skipIf(isMissing)(`claude${isMissing ? `: ${binary.missing}` : ''}`, HUNT, () => {
  let bench: ClaudeBench;
  beforeAll(async () => {
    bench = await ClaudeBench.open();
  });
  afterAll(() => bench.close());

  testRunner('claude', {
    model: { provider: 'claude', model: 'claude-sonnet-4-5', contextWindow: 200_000 },
    everyMoment: isTorture ? 1 : 7,
    isSampled: !isTorture,
    open: (script) => {
      bench.api.setReplies(playOnApi(script));
      return openClaudeRunner({ stateDir: bench.stateDir, config: {}, env: bench.home.env });
    },
  });
});

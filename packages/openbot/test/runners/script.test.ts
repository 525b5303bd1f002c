import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import { testRunner } from './contract-suite.ts';

testRunner('script', {
  model: { provider: 'script', model: 'test', contextWindow: 100_000 },
  open: (script) => makeScriptRunner({ script }),
});

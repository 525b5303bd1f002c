import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/setup/slow-first.ts';

const TESTS = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];

/** `npm run torture` is `vitest run --mode torture`: the long form of all hunts, of test/setup/hunt.ts. */
export default defineConfig(({ mode }) => {
  const isTorture = mode === 'torture';
  return {
    resolve: { conditions: ['openbot-source'] },
    ssr: { resolve: { conditions: ['openbot-source'] } },
    test: {
      include: isTorture ? listHunts() : TESTS,
      tags: [{ name: 'hunt', description: 'has a long form in `npm run torture`' }],
      tagsFilter: isTorture ? ['hunt'] : undefined,
      provide: { torture: isTorture ? readTorture() : null },
      globalSetup: ['test/setup/build-bin.ts', ...(isTorture ? ['test/setup/name-seed.ts'] : [])],
      setupFiles: ['test/setup/clean-environment.ts'],
      // Real processes and real disks: generous limits, so that no test fails on a slow machine's clock.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // Files share a few processes: starting one for each takes longer than most of them. test/setup/clean-environment.ts
      // holds that each leaves the environment as it found it.
      pool: 'forks',
      isolate: false,
      // More than cores: many tests wait for processes.
      maxWorkers: 4,
      sequence: { sequencer: SlowFirst },
      // Buffers outside the heap make a small heap be collected again and again: a third of the time of many tests.
      execArgv: ['--initial-heap-size=512'],
    },
  };
});

/** The test files that import test/setup/hunt.ts, themselves or by a helper. */
function listHunts(): string[] {
  const files = globSync(['test/**/*.ts', 'packages/*/test/**/*.ts'], { cwd: import.meta.dirname });
  const users = (name: string) =>
    files.filter((path) => readFileSync(path, 'utf8').includes(`/${name}';`) && basename(path) !== name);
  const direct = users('hunt.ts');
  const helpers = direct.filter((path) => !path.endsWith('.test.ts'));
  const all = [...direct, ...helpers.flatMap((path) => users(basename(path)))];
  return all.filter((path) => path.endsWith('.test.ts'));
}

/** TORTURE_SEED=own: each hunt has the seed that it has in the gate, so that a run that passed passes again. */
function readTorture(): { seed: number | null; scale: number; kills?: number } {
  const { TORTURE_SEED, TORTURE_SCALE = '1', TORTURE_KILLS } = process.env;
  const scale = Number(TORTURE_SCALE);
  const kills = TORTURE_KILLS === undefined ? {} : { kills: Number(TORTURE_KILLS) };
  if (!(kills.kills === undefined || kills.kills > 0)) throw new Error('TORTURE_KILLS is no number');
  if (TORTURE_SEED === 'own' && scale > 0) return { seed: null, scale, ...kills };
  const seed = TORTURE_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(TORTURE_SEED);
  if (!Number.isInteger(seed) || !(scale > 0)) throw new Error('TORTURE_SEED or TORTURE_SCALE is no number');
  return { seed, scale, ...kills };
}

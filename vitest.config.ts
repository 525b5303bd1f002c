import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['openbot-source'] },
  ssr: { resolve: { conditions: ['openbot-source'] } },
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: ['test/setup/build-bin.ts'],
    setupFiles: ['test/setup/clean-environment.ts'],
    // Real processes and real disks: generous limits, so that no test fails on a slow machine's clock.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    fileParallelism: true,
    maxWorkers: 3,
  },
});

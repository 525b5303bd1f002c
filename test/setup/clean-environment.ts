/**
 * Tests start from a clean environment: nothing of the person's own agents leaks in, and HOME is a temp folder. Files
 * share a process: each one finds the environment as the first one did.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, inject, vi } from 'vitest';
import { endFile, endTest } from './cleaning.ts';

for (const name of Object.keys(process.env)) {
  if (/^(CLAUDE|OPENCLAW|CLAWDBOT|OCC|OPENBOT)|^(NO_COLOR|FORCE_COLOR|COLUMNS)$/i.test(name))
    delete process.env[name];
}

process.env.TMPDIR = inject('temp');
const home = mkdtempSync(join(tmpdir(), 'openbot-test-home-'));
process.env.HOME = home;
process.env.USERPROFILE = home;
// Commands start faster when they share it, and leave nothing in the home folders that tests look at.
process.env.NODE_COMPILE_CACHE = inject('compiled');

const before = { ...process.env };
const cwd = process.cwd();

afterEach(endTest);
afterAll(async () => {
  await endFile();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  rmSync(home, { recursive: true, force: true });
  // Libraries set variables too when they are loaded.
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  process.chdir(cwd);
});

/** Tests start from a clean environment: nothing of the person's own agents leaks in, and HOME is a temp folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

for (const name of Object.keys(process.env)) {
  if (/^(CLAUDE|OPENCLAW|CLAWDBOT|OCC|OPENBOT)/i.test(name)) delete process.env[name];
}

const home = mkdtempSync(join(tmpdir(), 'openbot-test-home-'));
process.env.HOME = home;
process.env.USERPROFILE = home;
// Commands start faster when they share it, and leave nothing in the home folders that tests look at.
process.env.NODE_COMPILE_CACHE = join(home, '.compiled');

afterAll(() => rmSync(home, { recursive: true, force: true }));

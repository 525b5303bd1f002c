import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';

let cwd: string;
const home = process.env.HOME!;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'occ-configuration-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it('every setting has a value', async () => {
  expect(await loadConfiguration({ cwd, env: { HOME: home } })).toEqual({
    stateDirectory: join(home, '.openclaw'),
    defaultAgentId: 'main',
    defaultPreset: 'default',
    customPresets: {},
    outputFormat: 'human',
    verboseOutput: false,
    keepOriginal: true,
  });
});

it('overrides, then the environment, then files', async () => {
  writeFileSync(
    join(cwd, 'occ.config.json'),
    JSON.stringify({ stateDirectory: './file', defaultAgentId: 'file', defaultPreset: 'extreme' }),
  );
  const env = { HOME: home };
  expect(await loadConfiguration({ cwd, env })).toMatchObject({
    stateDirectory: join(cwd, 'file'),
    defaultAgentId: 'file',
    defaultPreset: 'extreme',
  });
  const more = {
    ...env,
    OCC_STATE_DIRECTORY: '~/env',
    OCC_DEFAULT_AGENT_ID: 'env',
    OCC_DEFAULT_PRESET: 'aggressive',
  };
  expect(await loadConfiguration({ cwd, env: more })).toMatchObject({
    stateDirectory: join(home, 'env'),
    defaultAgentId: 'env',
    defaultPreset: 'aggressive',
  });
  const overrides = { stateDirectory: '/given', defaultAgentId: 'given', defaultPreset: 'given' };
  expect(await loadConfiguration({ cwd, env: more, overrides })).toMatchObject(overrides);
});

it('the agent that OpenClaw names wins over a default', async () => {
  const env = { HOME: home, OPENCLAW_AGENT_ID: 'running', OCC_DEFAULT_AGENT_ID: 'usual' };
  expect(await loadConfiguration({ cwd, env })).toMatchObject({ defaultAgentId: 'running' });
});

/** Configuration as its user meets it: through the command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OccRun, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-configured-'));
  for (const place of ['file', 'env', 'flag']) {
    const lines = createSessionWithTurns(30, 1, { resultLength: 900 });
    writeSession(join(folder, place), 'main', `in-${place}`, lines);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configure(config: object): void {
  writeFileSync(join(folder, 'occ.config.json'), JSON.stringify(config));
}

const occ = (args: string[], env: Record<string, string> = {}): Promise<OccRun> =>
  runOccHere(args, { cwd: folder, env });

async function listIds(args: string[] = [], env: Record<string, string> = {}): Promise<string[]> {
  const { stdout, stderr } = await occ(['list', '--json', ...args], env);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { sessionId: string }[]).map(({ sessionId }) => sessionId);
}

async function countRemoved(args: string[], env: Record<string, string> = {}): Promise<number> {
  const { stdout, stderr } = await occ(['edit', '--dry-run', '--json', ...args], env);
  expect(stderr).toBe('');
  return JSON.parse(stdout).statistics.toolCallsRemoved;
}

it('TC-8.1a config from standard location', async () => {
  configure({ stateDirectory: './file', outputFormat: 'json' });
  expect(await listIds()).toEqual(['in-file']);
  expect(JSON.parse((await occ(['list'])).stdout)).toHaveLength(1);
});

it('TC-8.2a custom preset from config', async () => {
  configure({
    stateDirectory: './file',
    customPresets: { mine: { keepTurnsWithTools: 3, truncatePercent: 0 } },
  });
  expect(await countRemoved(['--strip-tools=mine'])).toBe(27);
  const info = JSON.parse((await occ(['info', '--json'])).stdout);
  expect(info.presets.mine).toMatchObject({ toolCallsRemoved: 27, toolCallsTruncated: 0 });
});

it('TC-8.3a env var overrides config', async () => {
  configure({ stateDirectory: './file', defaultPreset: 'aggressive' });
  expect(await countRemoved(['--strip-tools'])).toBe(20);
  expect(await countRemoved(['--strip-tools'], { OCC_DEFAULT_PRESET: 'extreme' })).toBe(30);
  expect(await listIds([], { OCC_STATE_DIRECTORY: join(folder, 'env') })).toEqual(['in-env']);
});

it('TC-8.4a CLI flag overrides env', async () => {
  const env = { OCC_STATE_DIRECTORY: join(folder, 'env'), OCC_DEFAULT_PRESET: 'extreme' };
  expect(await listIds(['--state-dir', 'flag'], env)).toEqual(['in-flag']);
  expect(await countRemoved(['--strip-tools=aggressive'], env)).toBe(20);
  const { stdout } = await occ(['list', '--no-json'], { ...env, OCC_OUTPUT_FORMAT: 'json' });
  expect(stdout).toContain('in-env');
  expect(() => JSON.parse(stdout)).toThrow();
});

it('a preset of one’s own may take the place of a built-in one', async () => {
  configure({
    stateDirectory: './file',
    customPresets: { default: { keepTurnsWithTools: 1, truncatePercent: 0 } },
  });
  expect(await countRemoved(['--strip-tools'])).toBe(29);
});

it('a fault in it is reported before anything is touched', async () => {
  configure({ customPresets: { mine: { keepTurnsWithTools: -2, truncatePercent: 0 } } });
  expect(await occ(['edit', '--strip-tools=mine'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Error: occ.config.json: customPresets.mine.keepTurnsWithTools must be a whole number of at least 0\n' +
      '  Correct the value, or leave the key out\n',
  });
});

it('help needs no configuration, however broken', async () => {
  writeFileSync(join(folder, 'occ.config.json'), '{');
  expect(await occ(['edit', '--help'])).toMatchObject({ code: 0, stderr: '' });
  expect((await occ(['list'])).stderr).toMatch(/^Error: occ\.config\.json: /);
});

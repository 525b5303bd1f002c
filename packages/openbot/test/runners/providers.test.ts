/** Which providers the runners may have, before any of them is loaded. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isProvider } from '../../src/runners/all.ts';
import { hasPiProvider, loadPi } from '../../src/runners/pi/load-pi.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

test('a provider is that of a runner, one of the configuration, or one of pi', () => {
  const config = { models: { providers: { Mine: {} } } };
  const asked = ['script', 'claude', 'claude-cli', 'openai', 'mine', 'src', 'https:', '..', 'constructor'];
  expect(asked.filter((provider) => isProvider(provider, config))).toEqual(asked.slice(0, 5));
});

test('every provider of pi is known', async () => {
  const { builtinProviders } = await loadPi();
  const providers = builtinProviders().map(({ id }) => id);
  expect(providers).toContain('anthropic');
  expect(providers.filter((provider) => !hasPiProvider(provider))).toEqual([]);
});

test('where pi has its lists elsewhere any name may be a provider, and none where it is not installed', () => {
  const folder = makeTempFolder();
  const from = join(folder, 'program.js');
  expect(hasPiProvider('openai', from)).toBe(false);
  for (const name of ['pi-coding-agent', 'pi-ai']) {
    const of = join(folder, 'node_modules/@earendil-works', name);
    mkdirSync(of, { recursive: true });
    writeFileSync(join(of, 'package.json'), '{}');
  }
  expect(hasPiProvider('openai', from)).toBe(true);
  expect(hasPiProvider('https:', from)).toBe(false);
});

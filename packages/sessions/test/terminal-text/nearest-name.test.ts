import { expect, it } from 'vitest';
import { findNearest } from '../../src/terminal-text/nearest-name.ts';

const NAMES = ['stateDirectory', 'defaultAgentId', 'defaultPreset', 'customPresets', 'outputFormat'];

it.each([
  ['statedirectory', 'stateDirectory'],
  ['stateDir', 'stateDirectory'],
  ['defaultPrest', 'defaultPreset'],
  ['defualtPreset', 'defaultPreset'],
  ['presets', undefined],
  ['x', undefined],
  ['', undefined],
])('%s is nearest to %s', (given, nearest) => {
  expect(findNearest(given, NAMES)).toBe(nearest);
});

it.each([
  ['pdf', ['md', 'html', 'jsonl'], undefined],
  ['man', ['main', 'ops'], 'main'],
  ['thinking', ['model', 'think'], 'think'],
  ['confg', ['cc', 'config'], 'config'],
])('%s among %s is nearest to %s', (given, names, nearest) => {
  expect(findNearest(given, names)).toBe(nearest);
});

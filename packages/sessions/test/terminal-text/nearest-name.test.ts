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

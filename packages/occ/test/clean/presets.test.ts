import { describe, expect, it } from 'vitest';
import { BUILT_IN_PRESETS, resolvePreset, resolveToolRemovalOptions } from '../../src/clean/presets.ts';

const mine = { mine: { name: 'mine', keepTurnsWithTools: 3, truncatePercent: 25 } };

it('the built-in presets are these', () => {
  expect(BUILT_IN_PRESETS).toEqual({
    default: { name: 'default', keepTurnsWithTools: 20, truncatePercent: 50 },
    aggressive: { name: 'aggressive', keepTurnsWithTools: 10, truncatePercent: 50 },
    extreme: { name: 'extreme', keepTurnsWithTools: 0, truncatePercent: 0 },
  });
});

describe('a preset', () => {
  it('is found by its name, built in or of one’s own', () => {
    expect(resolvePreset('aggressive')).toEqual(BUILT_IN_PRESETS.aggressive);
    expect(resolvePreset('mine', mine)).toEqual(mine.mine);
  });

  it('of one’s own takes the place of a built-in one', () => {
    const own = { default: { name: 'default', keepTurnsWithTools: 1, truncatePercent: 0 } };
    expect(resolvePreset('default', own)).toEqual(own.default);
  });

  it.each(['other', 'Default', '', 'constructor', '__proto__', 'toString'])('%j is unknown', (name) => {
    expect(() => resolvePreset(name, mine)).toThrowError(
      expect.objectContaining({
        code: 'UNKNOWN_PRESET',
        message: `Unknown preset: ${name}`,
        hint: 'Known presets: default, aggressive, extreme, mine',
      }),
    );
  });
});

describe('options', () => {
  it.each([
    [{}, { keepTurnsWithTools: 20, truncatePercent: 50 }],
    [{ preset: 'extreme' }, { keepTurnsWithTools: 0, truncatePercent: 0 }],
    [{ preset: 'mine' }, { keepTurnsWithTools: 3, truncatePercent: 25 }],
    [
      { preset: 'mine', keepTurnsWithTools: 0 },
      { keepTurnsWithTools: 0, truncatePercent: 25 },
    ],
    [{ truncatePercent: 0 }, { keepTurnsWithTools: 20, truncatePercent: 0 }],
    [
      { keepTurnsWithTools: 7, truncatePercent: 12.5 },
      { keepTurnsWithTools: 7, truncatePercent: 12.5 },
    ],
  ])('%j', (options, resolved) => {
    expect(resolveToolRemovalOptions(options, mine)).toEqual(resolved);
  });

  it.each([
    [{ keepTurnsWithTools: -1 }, 'keepTurnsWithTools must be a whole number of at least 0, not -1'],
    [{ keepTurnsWithTools: 0.5 }, 'keepTurnsWithTools must be a whole number of at least 0, not 0.5'],
    [{ keepTurnsWithTools: Number.NaN }, 'keepTurnsWithTools must be a whole number of at least 0, not NaN'],
    [{ truncatePercent: 100.1 }, 'truncatePercent must be a number from 0 to 100, not 100.1'],
    [{ truncatePercent: -1 }, 'truncatePercent must be a number from 0 to 100, not -1'],
    [{ truncatePercent: Number.NaN }, 'truncatePercent must be a number from 0 to 100, not NaN'],
  ])('%j are refused', (options, message) => {
    expect(() => resolveToolRemovalOptions(options)).toThrowError(
      expect.objectContaining({ code: 'USAGE', message }),
    );
  });
});

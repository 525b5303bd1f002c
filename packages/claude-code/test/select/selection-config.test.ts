import { describe, expect, it } from 'vitest';
import { resolveSelectionConfig } from '../../src/select/selection-config.ts';

describe('the settings of the selection', () => {
  it('are these where nothing is set', () => {
    expect(resolveSelectionConfig()).toEqual({
      relevanceModel: 'claude-haiku',
      relevanceMaxTokens: 500,
      relevanceTimeoutMs: 3000,
      resumeThreshold: 0.6,
      enabled: true,
    });
  });

  it('are merged: of the agent, of all agents, by default', () => {
    expect(
      resolveSelectionConfig(
        { resumeThreshold: 0.7, relevanceModel: 'a', enabled: false },
        { relevanceModel: 'b', resumeThreshold: undefined },
      ),
    ).toEqual({
      relevanceModel: 'b',
      relevanceMaxTokens: 500,
      relevanceTimeoutMs: 3000,
      resumeThreshold: 0.7,
      enabled: false,
    });
  });

  it('refuse a name that there is not, which is a slip, and name those that there are', () => {
    expect(() => resolveSelectionConfig({}, { resumeTreshold: 0.9 } as object)).toThrow(
      expect.objectContaining({
        code: 'SELECTION_CONFIG_INVALID',
        message: 'sessionSelection.resumeTreshold is not a setting',
        hint: expect.stringContaining('resumeThreshold'),
      }),
    );
    expect(resolveSelectionConfig({ other: undefined } as object)).toEqual(resolveSelectionConfig());
  });

  it.each<[string, unknown]>([
    ['relevanceModel', ' '],
    ['relevanceModel', 7],
    ['relevanceMaxTokens', 0],
    ['relevanceMaxTokens', 1.5],
    ['relevanceTimeoutMs', -1],
    ['relevanceTimeoutMs', Number.NaN],
    ['relevanceTimeoutMs', 2 ** 31],
    ['relevanceTimeoutMs', null],
    ['resumeThreshold', 1.01],
    ['resumeThreshold', -0.01],
    ['resumeThreshold', Number.NaN],
    ['resumeThreshold', '0.6'],
    ['enabled', 'false'],
    ['enabled', () => true],
  ])('refuse for %s: %s', (key, value) => {
    for (const layers of [[{ [key]: value }], [{}, { [key]: value }]]) {
      expect(() => resolveSelectionConfig(...layers)).toThrow(
        expect.objectContaining({
          code: 'SELECTION_CONFIG_INVALID',
          message: expect.stringContaining(`sessionSelection.${key} is `),
          hint: expect.stringContaining('or leave it out'),
        }),
      );
    }
  });

  it.each([0, 1])('take a threshold of %s', (resumeThreshold) => {
    expect(resolveSelectionConfig({ resumeThreshold }).resumeThreshold).toBe(resumeThreshold);
  });
});

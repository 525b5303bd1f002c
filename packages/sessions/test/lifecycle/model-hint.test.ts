import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyResetModelOverride, type SessionEntry } from '../../src/index.ts';
import { type ModelCatalogue, readModelHint } from '../../src/lifecycle/reset/model-hint.ts';
import { NOW, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const catalogue: ModelCatalogue = {
  providers: {
    anthropic: ['claude-sonnet-4-5', 'claude-opus-4-1', 'claude-haiku-4-5'],
    minimax: ['MiniMax-M2.1', 'MiniMax-M2'],
    openai: ['gpt-5', 'gpt-5-mini'],
    openrouter: ['anthropic/claude-opus-4-1', 'gpt-5'],
  },
  aliases: { fast: 'anthropic/claude-haiku-4-5', Big: 'claude-opus-4-1', broken: 'nobody/nothing' },
  defaults: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
};

const hint = (text: string) => {
  const found = readModelHint(text, catalogue);
  return found && `${found.selection.provider}/${found.selection.model} | ${found.rest}`;
};

describe('readModelHint', () => {
  it.each([
    ['minimax summarize', 'minimax/MiniMax-M2.1 | summarize'],
    ['MINIMAX Summarize  This\nPlease ', 'minimax/MiniMax-M2.1 | Summarize  This\nPlease'],
    ['minimax m2 Write', 'minimax/MiniMax-M2.1 | m2 Write'],
    ['minimax MiniMax-M2 Write', 'minimax/MiniMax-M2 | Write'],
    ['openai gpt-5-mini go', 'openai/gpt-5-mini | go'],
    ['anthropic opus Go', 'anthropic/claude-opus-4-1 | Go'],
    ['openai/gpt-5 go', 'openai/gpt-5 | go'],
    ['openrouter/anthropic/claude-opus-4-1 go', 'openrouter/anthropic/claude-opus-4-1 | go'],
    ['fast', 'anthropic/claude-haiku-4-5 | '],
    ['BIG idea', 'anthropic/claude-opus-4-1 | idea'],
    ['gpt-5-mini hi', 'openai/gpt-5-mini | hi'],
    ['gpt-5 hi', 'openai/gpt-5 | hi'],
    ['sonnet-4.5 Hi There', 'anthropic/claude-sonnet-4-5 | Hi There'],
    ['anthropic', 'anthropic/claude-sonnet-4-5 | '],
  ])('%j', (text, expected) => {
    expect(hint(text)).toBe(expected);
  });

  it.each([
    '',
    '   ',
    'summarize this',
    'haiku about spring',
    'haiku',
    'opus',
    'mini golf',
    'sonnet',
    'claude help me',
    '4 ideas',
    '4.5',
    '5',
    'nobody/nothing hi',
    'openai/gpt-9 hi',
    'broken promises',
    '__proto__ hi',
    'constructor',
    'toString/valueOf hi',
  ])('%j names no model', (text) => {
    expect(hint(text)).toBeUndefined();
  });

  it('a part that fits several models names none', () => {
    const two = { ...catalogue, providers: { a: ['x-v1-large', 'x-v1-small'] } };
    expect(readModelHint('x-v1 go', two)).toBeUndefined();
    expect(readModelHint('v1-small go', two)?.selection.model).toBe('x-v1-small');
  });

  it('takes one or two words off, never more, and changes no letter of the rest', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = readModelHint(text, catalogue);
        if (found === undefined) return;
        expect(text.trimEnd().endsWith(found.rest)).toBe(true);
        const words = (value: string) => value.split(/\s+/).filter((word) => word !== '').length;
        expect(words(text) - words(found.rest)).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe('applyResetModelOverride', () => {
  const KEY = 'agent:main:main';
  const entry = {
    sessionId: 's',
    updatedAt: 5,
    providerOverride: 'openai',
    modelOverride: 'gpt-5',
    authProfileOverride: 'work',
  };
  const apply = async (bodyStripped: string, resetTriggered = true) => {
    agent.writeStore({ [KEY]: entry });
    const sessionCtx = { Body: 'x', BodyStripped: bodyStripped };
    const sessionEntry = { ...entry };
    const sessionStore = {} as Record<string, typeof sessionEntry>;
    const result = await applyResetModelOverride({
      resetTriggered,
      bodyStripped,
      sessionCtx,
      catalogue,
      sessionEntry,
      sessionStore,
      sessionKey: KEY,
      storePath: agent.storePath,
      now: () => NOW,
    });
    return { result, sessionCtx, sessionEntry, sessionStore };
  };

  it('an entry that came frozen out of a store is replaced by one that has the model', async () => {
    agent.writeStore({ [KEY]: entry });
    const sessionEntry = Object.freeze({ ...entry });
    const sessionStore: Record<string, SessionEntry> = { [KEY]: sessionEntry };
    const result = await applyResetModelOverride({
      resetTriggered: true,
      bodyStripped: 'minimax Summarize',
      sessionCtx: {},
      catalogue,
      sessionEntry,
      sessionStore,
      sessionKey: KEY,
      storePath: agent.storePath,
    });
    expect(result.sessionEntry).toMatchObject({ providerOverride: 'minimax', modelOverride: 'MiniMax-M2.1' });
    expect(sessionStore[KEY]).toBe(result.sessionEntry);
    expect(sessionEntry).toEqual(entry);
    expect(agent.entry()).toMatchObject({ providerOverride: 'minimax' });
  });

  it('sets the model for the session, everywhere', async () => {
    const { result, sessionCtx, sessionEntry, sessionStore } = await apply('minimax Summarize');
    expect(result).toMatchObject({
      selection: { provider: 'minimax', model: 'MiniMax-M2.1', isDefault: false },
      cleanedBody: 'Summarize',
    });
    expect(sessionCtx).toMatchObject({ BodyStripped: 'Summarize', BodyForCommands: 'Summarize' });
    expect(agent.entry()).toEqual({
      sessionId: 's',
      updatedAt: 5,
      providerOverride: 'minimax',
      modelOverride: 'MiniMax-M2.1',
    });
    expect(sessionEntry).toMatchObject({ providerOverride: 'minimax', modelOverride: 'MiniMax-M2.1' });
    expect(sessionStore[KEY]).toBe(sessionEntry);
  });

  it('the default model is no override', async () => {
    const { result } = await apply('anthropic hello');
    expect(result.selection).toMatchObject({ isDefault: true });
    expect(agent.entry()).toEqual({ sessionId: 's', updatedAt: 5 });
  });

  it('the same provider keeps its credentials', async () => {
    await apply('openai gpt-5-mini');
    expect(agent.entry()).toMatchObject({ modelOverride: 'gpt-5-mini', authProfileOverride: 'work' });
  });

  it('leaves every other message alone', async () => {
    for (const [text, triggered] of [
      ['minimax Summarize', false],
      ['haiku about spring', true],
      ['', true],
    ] as const) {
      const { result, sessionCtx, sessionEntry } = await apply(text, triggered);
      expect(result).toEqual({});
      expect(sessionCtx).toEqual({ Body: 'x', BodyStripped: text });
      expect(sessionEntry).toEqual(entry);
      expect(agent.entry()).toEqual(entry);
    }
  });
});

describe('with the defaults and aliases of OpenClaw instead of a catalogue', () => {
  const seed = {
    cfg: {},
    resetTriggered: true,
    defaultProvider: 'anthropic',
    defaultModel: 'claude-opus-4.5',
    aliasIndex: {
      byAlias: new Map([['fast', { alias: 'fast', ref: { provider: 'minimax', model: 'm2.1' } }]]),
    },
  };

  it.each([
    ['fast summarize', { provider: 'minimax', model: 'm2.1', isDefault: false, alias: 'fast' }, 'summarize'],
    ['minimax/m2.1 hi', { provider: 'minimax', model: 'm2.1', isDefault: false }, 'hi'],
    ['claude-opus-4.5 hi', { provider: 'anthropic', model: 'claude-opus-4.5', isDefault: true }, 'hi'],
  ])('%s', async (bodyStripped, selection, cleanedBody) => {
    const sessionCtx = {};
    expect(await applyResetModelOverride({ ...seed, bodyStripped, sessionCtx })).toMatchObject({
      selection,
      cleanedBody,
    });
    expect(sessionCtx).toMatchObject({ BodyStripped: cleanedBody });
  });

  it('neither is an error with a name', async () => {
    await expect(
      applyResetModelOverride({
        resetTriggered: true,
        bodyStripped: 'fast hi',
        sessionCtx: {},
      }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

import { describe, expect, it } from 'vitest';
import { assessTaskRelevance } from '../../src/select/assess-relevance.ts';
import type { AskModel } from '../../src/select/selection.ts';
import { resolveSelectionConfig } from '../../src/select/selection-config.ts';
import { makeSession } from '../project-status/discovered.ts';

const config = resolveSelectionConfig();
const TASK = 'Repair the login page';
const sessions = [
  makeSession({ firstMessage: 'Repair the login page' }),
  makeSession({ firstMessage: 'Write a parser', branch: 'x' }),
];
const rate = (...scores: number[]) =>
  JSON.stringify({ sessions: scores.map((score, at) => ({ id: at + 1, score, why: 'so' })) });
const BY_WORDS = [
  { score: 1, reasoning: 'in common: repair, login, page', by: 'words' },
  { score: 0, reasoning: 'no word in common', by: 'words' },
];

describe('the relevance of sessions', () => {
  it('is what the model says, asked once about all', async () => {
    const questions: Parameters<AskModel>[0][] = [];
    const askModel: AskModel = async (question) => {
      questions.push(question);
      return rate(0.9, 0.2);
    };
    expect(await assessTaskRelevance(TASK, sessions, { config, askModel, tag: 'mark' })).toEqual({
      relevance: [
        { score: 0.9, reasoning: 'so', by: 'model' },
        { score: 0.2, reasoning: 'so', by: 'model' },
      ],
    });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({ model: 'claude-haiku', maxTokens: 500 });
    expect(questions[0]?.prompt).toMatch(/^<data-mark>/);
    expect(questions[0]?.signal.aborted).toBe(false);
  });

  it('is asked for under another name each time', async () => {
    const prompts: string[] = [];
    const askModel: AskModel = async ({ prompt }) => {
      prompts.push(prompt);
      return rate(1, 1);
    };
    for (let time = 0; time < 2; time++) await assessTaskRelevance(TASK, sessions, { config, askModel });
    expect(prompts[0]).toMatch(/^<data-[0-9a-f]{16}>\n/);
    expect(prompts[0]).not.toBe(prompts[1]);
  });

  it.each<[string, AskModel | undefined, object]>([
    ['there is no model', undefined, {}],
    ['it is switched off', async () => rate(0.9, 0.9), { enabled: false }],
  ])('is by words where %s, and that is no fallback', async (_, askModel, settings) => {
    const assessed = await assessTaskRelevance(TASK, sessions, {
      config: resolveSelectionConfig(settings),
      askModel,
    });
    expect(assessed).toEqual({ relevance: BY_WORDS });
  });

  it.each<[string, AskModel, RegExp]>([
    ['answers with prose', async () => 'Certainly!', /not JSON alone/],
    ['rates one of two', async () => rate(0.9), /rated 1 of 2 sessions/],
    ['rates out of range', async () => rate(0.9, 1.5), /rating of session 2/],
    ['answers nothing', (async () => undefined) as unknown as AskModel, /no text/],
    ['returns no promise', (() => 7) as unknown as AskModel, /no text/],
    [
      'rejects',
      async () => Promise.reject(new Error('529\noverloaded')),
      /could not be asked: 529 overloaded/,
    ],
    ['rejects with nothing', async () => Promise.reject(undefined), /could not be asked/],
    [
      'throws at once',
      () => {
        throw new Error('no key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789');
      },
      /could not be asked: no key(?!.*uvwxyz0123456789)/,
    ],
  ])('is by words for all where the model %s', async (_, askModel, fallback) => {
    const assessed = await assessTaskRelevance(TASK, sessions, { config, askModel });
    expect(assessed.relevance).toEqual(BY_WORDS);
    expect(assessed.fallback).toMatch(fallback);
  });

  it.each<[string, (signal: AbortSignal) => Promise<string>]>([
    ['never answers', () => new Promise(() => {})],
    [
      'stops when it is told to',
      (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    ],
  ])('is by words when the time is over and the model %s', async (_, hang) => {
    let signal: AbortSignal | undefined;
    const askModel: AskModel = (question) => {
      signal = question.signal;
      return hang(question.signal);
    };
    const assessed = await assessTaskRelevance(TASK, sessions, {
      config: resolveSelectionConfig({ relevanceTimeoutMs: 20 }),
      askModel,
    });
    expect(assessed).toEqual({ relevance: BY_WORDS, fallback: 'the model did not answer within 20 ms' });
    expect(signal?.aborted).toBe(true);
  });

  it('needs no question about no sessions', async () => {
    const askModel: AskModel = () => {
      throw new Error('asked');
    };
    expect(await assessTaskRelevance(TASK, [], { config, askModel })).toEqual({ relevance: [] });
  });
});

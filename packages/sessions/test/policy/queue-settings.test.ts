import { describe, expect, it } from 'vitest';
import {
  normalizeQueueDropPolicy,
  normalizeQueueMode,
  type QueueConfig,
  type QueueEntry,
  resolveQueueSettings,
  SESSION_QUEUE_MODES,
} from '../../src/policy/queue-settings.ts';

describe('queue modes', () => {
  it('are these', () => {
    expect(SESSION_QUEUE_MODES).toEqual([
      'steer',
      'followup',
      'collect',
      'steer-backlog',
      'steer+backlog',
      'queue',
      'interrupt',
    ]);
  });

  it.each<[unknown, string | undefined]>([
    ['steer', 'steer'],
    ['queue', 'steer'],
    ['followup', 'followup'],
    ['Follow-ups', 'followup'],
    ['collect', 'collect'],
    ['steer-backlog', 'steer-backlog'],
    ['steer+backlog', 'steer-backlog'],
    [' INTERRUPT ', 'interrupt'],
    ['later', undefined],
    ['', undefined],
    [undefined, undefined],
    [3, undefined],
    ['constructor', undefined],
  ])('%s is read as %s', (raw, expected) => {
    expect(normalizeQueueMode(raw)).toBe(expected);
  });

  it('every stored spelling is understood', () => {
    for (const mode of SESSION_QUEUE_MODES) expect(normalizeQueueMode(mode)).toBeDefined();
  });

  it.each<[unknown, string | undefined]>([
    ['old', 'old'],
    ['Newest', 'new'],
    ['summary', 'summarize'],
    ['all', undefined],
    [null, undefined],
  ])('drop %s is read as %s', (raw, expected) => {
    expect(normalizeQueueDropPolicy(raw)).toBe(expected);
  });
});

describe('resolveQueueSettings', () => {
  const resolve = (queue?: QueueConfig, sessionEntry?: QueueEntry, channel?: string) =>
    resolveQueueSettings({ cfg: queue ? { messages: { queue } } : {}, sessionEntry, channel });

  const defaults = { mode: 'collect', debounceMs: 1000, cap: 20, dropPolicy: 'summarize' };
  const queue: QueueConfig = {
    mode: 'followup',
    byChannel: { Discord: 'interrupt' },
    debounceMs: 300,
    debounceMsByChannel: { discord: 50 },
    cap: 7,
    drop: 'old',
  };

  it('has defaults', () => {
    expect(resolve()).toEqual(defaults);
    expect(resolveQueueSettings({})).toEqual(defaults);
  });

  it('configuration over defaults', () => {
    expect(resolve(queue)).toEqual({ mode: 'followup', debounceMs: 300, cap: 7, dropPolicy: 'old' });
  });

  it('channel over configuration', () => {
    expect(resolve(queue, undefined, ' discord ')).toMatchObject({
      mode: 'interrupt',
      debounceMs: 50,
      cap: 7,
    });
    expect(resolve(queue, undefined, 'slack')).toMatchObject({ mode: 'followup', debounceMs: 300 });
    expect(resolve(queue, undefined, 'constructor')).toMatchObject({ mode: 'followup', debounceMs: 300 });
  });

  it('session over channel', () => {
    const entry: QueueEntry = { queueMode: 'queue', queueDebounceMs: 0, queueCap: 1, queueDrop: 'new' };
    expect(resolve(queue, entry, 'discord')).toEqual({
      mode: 'steer',
      debounceMs: 0,
      cap: 1,
      dropPolicy: 'new',
    });
  });

  it('passes over what cannot be read', () => {
    const entry = {
      queueMode: 'x' as 'queue',
      queueDebounceMs: Number.NaN,
      queueCap: '9' as unknown as number,
      queueDrop: '' as 'old',
    };
    expect(resolve(queue, entry, 'discord')).toEqual({
      mode: 'interrupt',
      debounceMs: 50,
      cap: 7,
      dropPolicy: 'old',
    });
  });

  it('keeps figures within sense', () => {
    expect(resolve(undefined, { queueDebounceMs: -5, queueCap: 0 })).toMatchObject({ debounceMs: 0, cap: 1 });
    expect(resolve(undefined, { queueCap: 3.7 })).toMatchObject({ cap: 3 });
  });
});

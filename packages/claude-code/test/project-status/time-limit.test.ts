import { describe, expect, it } from 'vitest';
import { withTimeLimit } from '../../src/project-status/time-limit.ts';

const LONG = 600_000;

describe('a search with a time limit', () => {
  it('gives what it finds, and throws what it throws', async () => {
    expect(await withTimeLimit(async () => 'found', LONG)).toBe('found');
    await expect(withTimeLimit(() => Promise.reject(new Error('broken')), LONG)).rejects.toThrow('broken');
    const fails = () => {
      throw new Error('at once');
    };
    await expect(withTimeLimit(fails, LONG)).rejects.toThrow('at once');
  });

  it('that never ends is not waited for', async () => {
    expect(await withTimeLimit(() => new Promise(() => {}), 1)).toBeUndefined();
  });

  it('is asked to stop, and what it throws then is no failure', async () => {
    const stopped = await withTimeLimit(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      1,
    );
    expect(stopped).toBeUndefined();
  });

  it('that ends just then still has its answer', async () => {
    const late = await withTimeLimit(
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))),
      1,
    );
    expect(late).toBe('late');
  });
});

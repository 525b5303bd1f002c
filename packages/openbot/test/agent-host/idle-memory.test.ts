import { expect, test } from 'vitest';
import { freeMemoryWhenIdle } from '../../src/agent-host/idle-memory.ts';

test('what can be read again is given back once for each time without work', () => {
  let kept: Buffer[] | undefined = [];
  let times = 0;
  const look = freeMemoryWhenIdle(() => {
    kept = undefined;
    times++;
  }, 0);
  const work = () => {
    look(false);
    kept = Array.from({ length: 1000 }, () => Buffer.alloc(20_000));
  };
  work();
  const before = process.memoryUsage().arrayBuffers;
  expect(kept).toHaveLength(1000);
  for (let beat = 0; beat < 3; beat++) look(true);
  expect(kept).toBe(undefined);
  expect(times).toBe(1);
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(before - 10_000_000);
  work();
  look(true);
  expect(times).toBe(2);
});

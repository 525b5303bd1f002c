import { expect, test } from 'vitest';
import { EventSource } from '../../src/conversation/event-source.ts';

async function readAll(events: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('a reader misses nothing of what comes after it was made, however late it begins', async () => {
  const source = new EventSource<number>();
  source.emit(1);
  const [one, other] = [source.read(), source.read()];
  source.emit(2);
  const reading = readAll(one);
  source.emit(3);
  await new Promise(setImmediate);
  source.emit(4);
  source.end();
  expect(await reading).toEqual([2, 3, 4]);
  expect(await readAll(other)).toEqual([2, 3, 4]);
  expect(await readAll(source.read())).toEqual([]);
});

test('a reader that leaves before it began, or while it waits, is given nothing more', async () => {
  const source = new EventSource<number>();
  const [unbegun, waiting] = [source.read(), source.read()];
  const next = waiting.next();
  expect(await unbegun.return()).toEqual({ done: true, value: undefined });
  expect(await waiting.return()).toEqual({ done: true, value: undefined });
  expect(await next).toEqual({ done: true, value: undefined });
  source.emit(1);
  for (const reader of [unbegun, waiting]) expect(await readAll(reader)).toEqual([]);
});

test('a reader that breaks off leaves the others what they have', async () => {
  const source = new EventSource<number>();
  const other = source.read();
  const reader = source.read();
  for (const event of [1, 2]) source.emit(event);
  for await (const event of reader) {
    expect(event).toBe(1);
    break;
  }
  source.end();
  expect(await readAll(other)).toEqual([1, 2]);
});

test('a listener that fails, at once or later, takes nothing from the others and does not end the process', async () => {
  const source = new EventSource<number>();
  const heard: number[] = [];
  source.listen(() => {
    throw new Error('at once');
  });
  source.listen(async () => {
    await Promise.resolve();
    throw new Error('later');
  });
  source.listen((event) => void heard.push(event));
  source.emit(1);
  source.emit(2);
  // A rejection that nobody took would fail the run of the tests here.
  await new Promise(setImmediate);
  expect(heard).toEqual([1, 2]);
});

import { expect, test } from 'vitest';
import { PermissionRelay } from '../../src/conversation/permission-relay.ts';
import type { PermissionRequest, PermissionSettlement } from '../../src/run-contract/permission.ts';

const request: PermissionRequest = {
  requestId: 'r1',
  toolUseId: 't1',
  toolName: 'Bash',
  input: { command: 'ls' },
  isRisky: false,
};
const NEVER = new AbortController().signal;

function makeRelay(timeoutMs = 600_000) {
  const settled: [string, PermissionSettlement][] = [];
  const relay = new PermissionRelay({
    timeoutMs,
    onAsked: () => {},
    onSettled: (id, how) => settled.push([id, how]),
  });
  return { relay, settled };
}

test('the first answer of a listener counts', async () => {
  const { relay, settled } = makeRelay();
  relay.listen(({ requestId }) => {
    expect(relay.respond(requestId, { behavior: 'deny', message: 'no' })).toBe(true);
    expect(relay.respond(requestId, { behavior: 'allow' })).toBe(false);
  });
  expect(await relay.ask(request, NEVER)).toEqual({ behavior: 'deny', message: 'no' });
  expect(settled).toEqual([['r1', 'denied']]);
});

test('an answer may come later, and to the right one of several questions', async () => {
  const { relay } = makeRelay();
  relay.listen(() => {});
  const [one, two] = [relay.ask(request, NEVER), relay.ask({ ...request, requestId: 'r2' }, NEVER)];
  relay.respond('r2', { behavior: 'allow', updatedInput: { command: 'pwd' } });
  relay.respond('r1', { behavior: 'deny' });
  expect(await two).toEqual({ behavior: 'allow', updatedInput: { command: 'pwd' } });
  expect(await one).toEqual({ behavior: 'deny' });
  expect(relay.respond('r3', { behavior: 'allow' })).toBe(false);
});

test('without an answer in time the answer is no', async () => {
  const { relay, settled } = makeRelay(1);
  relay.listen(() => {});
  expect(await relay.ask(request, NEVER)).toMatchObject({ behavior: 'deny' });
  expect(settled).toEqual([['r1', 'timed-out']]);
});

test('without a listener, or when it fails, the answer is no at once', async () => {
  const { relay, settled } = makeRelay();
  const stop = relay.listen(() => {
    throw new Error('no terminal');
  });
  expect(await relay.ask(request, NEVER)).toMatchObject({ behavior: 'deny' });
  stop();
  expect(await relay.ask(request, NEVER)).toMatchObject({ behavior: 'deny' });
  expect(settled.map(([, how]) => how)).toEqual(['nobody-listens', 'nobody-listens']);
});

test('a question that is withdrawn is answered with no, before and after it was asked', async () => {
  const { relay, settled } = makeRelay();
  const stop = new AbortController();
  relay.listen(() => stop.abort());
  expect(await relay.ask(request, stop.signal)).toMatchObject({ behavior: 'deny' });
  expect(await relay.ask(request, stop.signal)).toMatchObject({ behavior: 'deny' });
  expect(settled.map(([, how]) => how)).toEqual(['withdrawn', 'withdrawn']);
});

test('a listener that fails later does not answer: the answer is no when no other is left', async () => {
  const { relay, settled } = makeRelay();
  relay.listen(async () => {
    await Promise.resolve();
    throw new Error('the terminal is gone');
  });
  relay.listen(() => {
    throw new Error('no terminal');
  });
  expect(await relay.ask(request, NEVER)).toMatchObject({ behavior: 'deny' });
  expect(settled).toEqual([['r1', 'nobody-listens']]);
});

test('the answer of a listener that has not failed is waited for', async () => {
  const { relay, settled } = makeRelay();
  relay.listen(() => Promise.reject(new Error('the terminal is gone')));
  relay.listen(async ({ requestId }) => {
    await new Promise(setImmediate);
    relay.respond(requestId, { behavior: 'allow' });
    throw new Error('after the answer');
  });
  expect(await relay.ask(request, NEVER)).toEqual({ behavior: 'allow' });
  await new Promise(setImmediate);
  expect(settled).toEqual([['r1', 'allowed']]);
});

test('who fails after his question is over leaves a later one of the same name alone', async () => {
  const { relay } = makeRelay();
  const failing = Promise.withResolvers<void>();
  const stop = relay.listen(() => failing.promise);
  const first = relay.ask(request, NEVER);
  relay.respond('r1', { behavior: 'deny', message: 'first' });
  stop();
  relay.listen(() => {});
  const second = relay.ask(request, NEVER);
  failing.reject(new Error('late'));
  await new Promise(setImmediate);
  expect(relay.respond('r1', { behavior: 'allow' })).toBe(true);
  expect(await first).toEqual({ behavior: 'deny', message: 'first' });
  expect(await second).toEqual({ behavior: 'allow' });
});

test('a question that is open already is not asked again, and the second answer is no', async () => {
  const { relay, settled } = makeRelay();
  let asked = 0;
  relay.listen(() => void asked++);
  const first = relay.ask(request, NEVER);
  expect(await relay.ask(request, NEVER)).toMatchObject({ behavior: 'deny' });
  expect([asked, settled]).toEqual([1, []]);
  relay.respond('r1', { behavior: 'allow' });
  expect(await first).toEqual({ behavior: 'allow' });
});

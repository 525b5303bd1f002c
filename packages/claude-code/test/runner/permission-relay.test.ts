import { expect, test } from 'vitest';
import {
  PermissionRelay,
  type PermissionRequest,
  type PermissionSettlement,
} from '../../src/runner/permission-relay.ts';

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

test('the first answer of whoever listens counts', async () => {
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

test('while nobody listens, or who listens fails, the answer is no at once', async () => {
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

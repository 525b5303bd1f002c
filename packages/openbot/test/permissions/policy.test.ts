import { expect, test } from 'vitest';
import type { Answer, Asker, PermissionSettings, Question } from '../../src/permissions/contract.ts';
import { Policy } from '../../src/permissions/policy.ts';
import { ManualClock, settle } from '../setup/manual-clock.ts';

/** Asks nobody; a test answers. */
class Desk implements Asker {
  readonly asked: Question[] = [];
  readonly closed: string[] = [];
  readonly #answers: ((answer: Answer) => void)[] = [];

  readonly ask: Asker['ask'] = async (question) => {
    this.asked.push(question);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#answers.push(resolve);
    return { answer: promise, close: async (why) => void this.closed.push(why) };
  };

  async answer(answer: Answer): Promise<void> {
    await settle();
    this.#answers.shift()!(answer);
  }
}

const REQUEST = { callId: 'c', toolName: 'Bash', arguments: { command: 'git push' } };
const RUNNING = new AbortController().signal;

function open(settings: PermissionSettings = {}, asker?: Asker | string) {
  const desk = new Desk();
  const clock = new ManualClock();
  const kept: string[] = [];
  const policy = new Policy({
    settings,
    places: { workspaceDir: '/ws' },
    added: [],
    asker: asker ?? desk,
    clock,
    remember: async (rule) => void kept.push(rule),
  });
  return { desk, clock, kept, policy };
}

test('always is remembered, and not asked again', async () => {
  const { desk, policy, kept } = open();
  const first = policy.permit(REQUEST, RUNNING);
  await desk.answer('always');
  await expect(first).resolves.toEqual({ isAllowed: true });
  await expect(policy.permit(REQUEST, RUNNING)).resolves.toEqual({ isAllowed: true });
  expect([kept, desk.asked.length]).toEqual([['Bash(git push)'], 1]);
});

test('each question has a limit of time of its own', async () => {
  const { desk, clock, policy } = open({ timeoutSeconds: 60 });
  const first = policy.permit(REQUEST, RUNNING);
  await clock.advance(30_000);
  const second = policy.permit(REQUEST, RUNNING);
  await clock.advance(30_000);
  await expect(first).resolves.toMatchObject({ reason: expect.stringContaining('within 1 minute,') });
  await clock.advance(29_999);
  expect(desk.closed).toEqual(['timeout']);
  await clock.advance(1);
  await expect(second).resolves.toMatchObject({ isAllowed: false });
});

test('an abort withdraws the question, also one that came before it was asked', async () => {
  const { desk, policy } = open();
  const aborting = new AbortController();
  const asking = policy.permit(REQUEST, aborting.signal);
  await settle();
  aborting.abort();
  await expect(asking).resolves.toEqual({ isAllowed: false, reason: 'The run was ended.' });
  await expect(policy.permit(REQUEST, aborting.signal)).resolves.toMatchObject({ isAllowed: false });
  expect([desk.closed, desk.asked.length]).toEqual([['withdrawn'], 1]);
});

test('a question that cannot be asked, and a text in the place of a person, deny', async () => {
  const failing: Asker = { ask: () => Promise.reject(new Error('the disk is full')) };
  await expect(open({}, failing).policy.permit(REQUEST, RUNNING)).resolves.toEqual({
    isAllowed: false,
    reason: 'No rule allows it, and the question could not be asked: the disk is full',
  });
  const { policy } = open({ allow: ['Bash'] }, 'it is night');
  expect(policy.canAsk).toBe(false);
  await expect(policy.permit(REQUEST, RUNNING)).resolves.toEqual({ isAllowed: true });
  await expect(policy.permit(REQUEST, RUNNING, 'always')).resolves.toEqual({
    isAllowed: false,
    reason: 'It needs a permission each time, and no person can be asked: it is night.',
  });
});

test('a refusal says why a command cannot be told from a forbidden one', async () => {
  const { policy } = open({ deny: ['Read(x)', 'Bash(rm:*)'], allow: ['Bash'] });
  const ask = (command: string) => policy.permit({ ...REQUEST, arguments: { command } }, RUNNING);
  await expect(ask('true && rm x')).resolves.toEqual({
    isAllowed: false,
    reason: 'The rule Bash(rm:*) forbids it. Do not try it in another way.',
  });
  await expect(ask('source .env')).resolves.toEqual({
    isAllowed: false,
    reason:
      'The rule Bash(rm:*) forbids commands, and it cannot be told which ones this runs: what source runs is not in the command. Write each command by its name, not in a variable or a script.',
  });
  await expect(ask('true')).resolves.toEqual({ isAllowed: true });
});

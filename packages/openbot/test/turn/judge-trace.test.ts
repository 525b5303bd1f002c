import type { TranscriptMessage } from '@openbot/sessions/transcript';
import { expect, test } from 'vitest';
import { judgeTrace } from '../../src/turn/recovery/judge-trace.ts';

const user = (content: string): TranscriptMessage => ({ role: 'user', content });
const says = (text: string, more: Record<string, unknown> = {}): TranscriptMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  stopReason: 'stop',
  ...more,
});
const calls = (...ids: string[]): TranscriptMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'toolCall', id, name: 'list_files', arguments: {} })),
  stopReason: 'toolUse',
});
const result = (toolCallId: string): TranscriptMessage => ({ role: 'toolResult', toolCallId, content: [] });

function judge(...messages: TranscriptMessage[]) {
  return judgeTrace({
    mark: { turnId: 't', attempt: 2, messages: ['m'], seqs: [1] },
    messages,
    joined: [],
    isLast: true,
  });
}

test('a turn without a mark has not begun', () => {
  expect(judgeTrace(undefined)).toEqual({ at: 'start' });
});

test('a message without an answer was cut off', () => {
  expect(judge(user('hello'))).toEqual({ at: 'cut-off', attempt: 2, openCalls: [], isHeld: false });
});

test('calls without a result are listed', () => {
  expect(judge(user('list'), calls('a', 'b'), result('a'))).toEqual({
    at: 'cut-off',
    attempt: 2,
    openCalls: [{ id: 'b', name: 'list_files' }],
    isHeld: false,
  });
});

test('after the results the model has not answered yet', () => {
  expect(judge(user('list'), calls('a'), result('a'))).toMatchObject({ at: 'cut-off', openCalls: [] });
});

test('an answer is taken with everything that was said before it', () => {
  const verdict = judge(user('list'), says('I look.'), calls('a'), result('a'), says('Two files.'));
  expect(verdict).toMatchObject({ at: 'end', reason: 'stop', texts: ['I look.', 'Two files.'] });
});

test('a text beside a call is not the end', () => {
  const both = {
    ...calls('a'),
    content: [{ type: 'text', text: 'I look.' }, ...(calls('a').content as object[])],
  };
  expect(judge(user('list'), both)).toMatchObject({ at: 'cut-off' });
});

test('a message that was added after the answer is not answered', () => {
  expect(judge(user('one'), says('done'), user('two'))).toMatchObject({ at: 'cut-off' });
});

test('a failed run is over', () => {
  expect(judge(user('one'), says('', { stopReason: 'error', errorMessage: 'no credit' }))).toMatchObject({
    at: 'end',
    reason: 'error',
    error: 'no credit',
    texts: [],
  });
});

test('an aborted run goes on: its message would have an end if a person had aborted it', () => {
  expect(judge(user('one'), says('par', { stopReason: 'aborted' }))).toMatchObject({ at: 'cut-off' });
  const aborted = { ...calls('a'), stopReason: 'aborted' };
  expect(judge(user('one'), aborted)).toMatchObject({ at: 'cut-off', openCalls: [{ id: 'a' }] });
});

test('what was delivered without the model does not count', () => {
  const mirror = says('The run failed.', { model: 'delivery-mirror' });
  expect(judge(user('one'), mirror)).toMatchObject({ at: 'cut-off' });
  expect(judge(user('one'), says('done'), mirror)).toMatchObject({ at: 'end', texts: ['done'] });
});

test('a run that was ended on purpose is over', () => {
  const mark = { turnId: 't', attempt: 1, messages: ['m'], seqs: [1] };
  const messages = [user('one'), says('par', { stopReason: 'aborted' })];
  const verdict = judgeTrace({ mark, messages, joined: [], abortedBy: 'person', isLast: true });
  expect(verdict).toMatchObject({ at: 'end', reason: 'aborted', cause: 'person' });
});

test('a run that ended because its process was stopped goes on and does not count', () => {
  const mark = { turnId: 't', attempt: 2, messages: ['m'], seqs: [1] };
  const trace = { mark, messages: [user('one')], joined: [], isLast: true };
  expect(judgeTrace({ ...trace, abortedBy: 'shutdown' })).toMatchObject({ at: 'cut-off', attempt: 1 });
  expect(judgeTrace({ ...trace, abortedBy: 'outage' })).toMatchObject({
    at: 'cut-off',
    attempt: 1,
    isHeld: true,
  });
  expect(judgeTrace({ ...trace, abortedBy: 'person' })).toMatchObject({ at: 'end', reason: 'aborted' });
});

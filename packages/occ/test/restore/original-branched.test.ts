/** The original of a session that was branched before its first edit, after many edits and restores. */
import { readFileSync, writeFileSync } from 'node:fs';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { expect, it } from 'vitest';
import { ID, type Json, makeStateFolder } from '../commands/state-folder.ts';
import { createSessionWithTurns, formatLines } from '../setup/sessions.ts';
import { hearMessages } from './heard.ts';

it('comes back with all that was said since, on the branch that was taken', async () => {
  const state = makeStateFolder();
  const path = state.add([]);
  const lines = createSessionWithTurns(8, 1, { tree: true, resultLength: 900, sessionId: ID });
  writeFileSync(path, formatLines(lines));
  const hear = () => hearMessages(SessionManager.open(path).buildSessionContext().messages);
  const say = (session: SessionManager, text: string) => {
    session.appendMessage({ role: 'user', content: text, timestamp: 1 } as Json);
    const content = [{ type: 'text', text: `About ${text}` }];
    session.appendMessage({ role: 'assistant', content, stopReason: 'stop', timestamp: 2 } as Json);
  };
  const session = SessionManager.open(path);
  const answers = (session.getBranch() as Json[]).filter(({ message }) => message?.stopReason === 'stop');
  session.branch(answers[5].id);
  say(session, 'branch');
  const [first, heard] = [readFileSync(path, 'utf8'), hear()];
  const said = ['one', 'two', 'three', 'four'];
  for (const text of said) {
    await state.json('edit', ID, '--keep=0');
    say(SessionManager.open(path), text);
    await state.json('restore', ID);
  }
  await state.json('edit', ID, '--keep=0');
  const { linesKept, context } = await state.json('restore', ID, '--original');
  expect(readFileSync(path, 'utf8').startsWith(first)).toBe(true);
  expect(linesKept).toBe(8);
  expect(context).toMatchObject({ toolCalls: 6, toolResults: 6, complete: true });
  expect(hear()).toEqual({
    ...heard,
    texts: [...heard.texts, ...said.flatMap((text) => [text, `About ${text}`])],
  });
});

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { describe, expect, test } from 'vitest';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { startChild } from '../../../sessions/test/setup/child.ts';
import { result, user } from '../../../sessions/test/setup/drafts.ts';
import { openFileTranscripts } from '../../src/transcripts/files/file-transcripts.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { describeTranscriptsContract, mark, REF, read, text } from './transcripts-contract.ts';

const CHILD = pathToFileURL(programOf(import.meta.dirname, 'children/append-lines.ts'));
const pathIn = (stateDir: string) => join(stateDir, 'agents', 'main', 'sessions', REF.sessionFile);
const linesOf = (stateDir: string) => readFileSync(pathIn(stateDir), 'utf8').split('\n').slice(0, -1);

describeTranscriptsContract('file', () => openFileTranscripts(makeTempFolder()));

describe('transcripts as files', () => {
  test('a new one has its header and first lines from the beginning, and is private', async () => {
    const stateDir = makeTempFolder();
    await openFileTranscripts(stateDir).append(REF, [mark('t'), user('hello')]);
    const lines = linesOf(stateDir).map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['session', 'custom', 'message']);
    expect(lines[0]).toMatchObject({ version: 3, id: REF.sessionId, cwd: '/work' });
    expect(lines[1].parentId).toBeNull();
    expect(lines[2].parentId).toBe(lines[1].id);
    expect(statSync(pathIn(stateDir)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(pathIn(stateDir), '..'))).toEqual([REF.sessionFile]);
  });

  test('pi reads the same messages', async () => {
    const stateDir = makeTempFolder();
    const transcripts = openFileTranscripts(stateDir);
    const [, kept] = await transcripts.append(REF, [mark('t'), user('old'), text('said')]);
    await transcripts.append(REF, [
      { type: 'compaction', summary: 'short', tokensBefore: 3, firstKeptEntryId: kept!.id! },
      { type: 'custom_message', customType: 'note', content: 'aside', display: false, details: { a: 1 } },
      user('new'),
    ]);
    const manager = SessionManager.open(pathIn(stateDir));
    manager.appendMessage({ role: 'user', content: 'from pi', timestamp: 5 });
    const answer = text('pi answers');
    if (answer.type === 'message') manager.appendMessage(answer.message as never);
    await transcripts.append(REF, [result('none')]);
    const again = SessionManager.open(pathIn(stateDir)).buildSessionContext().messages;
    expect(await read(transcripts)).toEqual(JSON.parse(JSON.stringify(again)));
  });

  test('a recorded file elsewhere is refused', async () => {
    const transcripts = openFileTranscripts(makeTempFolder());
    const append = transcripts.append({ ...REF, sessionFile: '../../../elsewhere.jsonl' }, [user('x')]);
    await expect(append).rejects.toMatchObject({ code: 'PATH_ESCAPES_FOLDER' });
  });

  test('several processes lose no line of each other, and make one header', async () => {
    const stateDir = makeTempFolder();
    const args = (name: string) => [stateDir, name, JSON.stringify(REF), '20'];
    const children = ['a', 'b', 'c'].map((name) => startChild(CHILD, args(name)));
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const lines = linesOf(stateDir).map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['session', ...Array(60).fill('message')]);
    lines.slice(2).forEach(({ parentId }, at) => void expect(parentId).toBe(lines[at + 1].id));
    for (const name of ['a', 'b', 'c']) {
      const own = lines.flatMap(({ message }) =>
        message?.content.startsWith(name) ? [message.content] : [],
      );
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => `${name} ${n}`));
    }
  });

  test('a process that is killed loses no line that it was told is kept', HUNT, async () => {
    const chance = makeChance();
    for (let round = 0; round < tries({ gate: 3, torture: 40 }); round++) {
      const stateDir = makeTempFolder();
      const args = [stateDir, 'k', JSON.stringify(REF)];
      const child = startChild(CHILD, args);
      await child.printed(`k ${Math.trunc(chance() * 20)}`);
      child.process.kill('SIGKILL');
      await child.ended;
      const told = child.output().split('\n').slice(0, -1);
      const context = await read(openFileTranscripts(stateDir));
      expect(context.map(({ content }) => content).slice(0, told.length)).toEqual(told);
      expect(context.length).toBeLessThanOrEqual(told.length + 1);
      SessionManager.open(pathIn(stateDir));
    }
  });
});

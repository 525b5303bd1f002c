import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { appendToTranscript, createTranscript, resolveSessionFilePath } from '../../src/index.ts';
import { composeUserMessage } from '../../src/transcript/compose.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

describe('resolveSessionFilePath', () => {
  let home: string;
  let sessionsDir: string;
  const id = '08ef14de-0000-4000-8000-000000000000';
  const at = (sessionFile: string | undefined, more = {}) =>
    resolveSessionFilePath(id, { sessionFile }, { sessionsDir, ...more });
  const refused = expect.objectContaining({ code: 'PATH_ESCAPES_FOLDER', hint: expect.any(String) });

  beforeEach(() => {
    home = makeTempFolder();
    sessionsDir = join(home, 'agents/main/sessions');
    mkdirSync(sessionsDir, { recursive: true });
  });

  it('is <id>.jsonl when nothing is recorded', () => {
    expect(at(undefined)).toBe(join(sessionsDir, `${id}.jsonl`));
    expect(at('  ')).toBe(join(sessionsDir, `${id}.jsonl`));
    expect(resolveSessionFilePath(id, null, { sessionsDir })).toBe(join(sessionsDir, `${id}.jsonl`));
    expect(at(undefined, { topicId: 7 })).toBe(join(sessionsDir, `${id}-topic-7.jsonl`));
    expect(resolveSessionFilePath(id, {}, { stateDir: home, agentId: 'Main' })).toBe(
      join(sessionsDir, `${id}.jsonl`),
    );
  });

  it('takes what is recorded inside the folder, absolute or relative', () => {
    expect(at(join(sessionsDir, 'older.jsonl'))).toBe(join(sessionsDir, 'older.jsonl'));
    expect(at('older-topic-4.jsonl')).toBe(join(sessionsDir, 'older-topic-4.jsonl'));
    expect(at(`${sessionsDir}/../sessions/older.jsonl`)).toBe(join(sessionsDir, 'older.jsonl'));
  });

  it.each([
    '../../../escape.jsonl',
    '..',
    'sessions.json',
    'a.jsonl.lock',
    'a.trajectory.jsonl',
    'x\0.jsonl',
    'notes.txt',
  ])('refuses %j', (recorded) => {
    expect(() => at(recorded)).toThrow(refused);
  });

  it('finds the file of a moved home folder by its name', () => {
    writeFileSync(join(sessionsDir, 'old.jsonl'), '');
    expect(at('/home/before/.openclaw/agents/main/sessions/old.jsonl')).toBe(join(sessionsDir, 'old.jsonl'));
    expect(at('C:\\Users\\me\\.openclaw\\agents\\main\\sessions\\old.jsonl')).toBe(
      join(sessionsDir, 'old.jsonl'),
    );
  });

  it('never leads to a transcript elsewhere, and does not hide one by starting anew', () => {
    const other = join(home, 'agents/other/sessions');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, `${id}.jsonl`), 'history');
    expect(() => at(join(other, `${id}.jsonl`))).toThrow(refused);
    expect(() => at('/etc/passwd')).toThrow(refused);
    expect(() => at('/somewhere/else/foreign.jsonl')).toThrow(refused);
    expect(() => at(`C:\\gone\\${id}.jsonl`)).toThrow(refused);
    // Recorded, but never written: nothing can be lost by beginning here.
    expect(at(`/home/before/sessions/${id}.jsonl`)).toBe(join(sessionsDir, `${id}.jsonl`));
  });

  it('knows its own folder through a link', () => {
    symlinkSync(join(home, 'agents'), join(home, 'linked'));
    const linked = join(home, 'linked/main/sessions');
    expect(at(join(linked, 'fresh.jsonl'))).toBe(join(sessionsDir, 'fresh.jsonl'));
  });

  it('takes nothing in a folder below, which may be a link that leads out', () => {
    const other = join(home, 'agents/other/sessions');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, `${id}.jsonl`), 'history');
    symlinkSync(other, join(sessionsDir, 'link'));
    mkdirSync(join(sessionsDir, 'below'));
    for (const folder of ['link', 'below']) {
      expect(() => at(`${folder}/${id}.jsonl`)).toThrow(refused);
      expect(() => at(`./${folder}/../${folder}/new.jsonl`)).toThrow(refused);
    }
    expect(() => at(join(sessionsDir, `link/${id}.jsonl`))).toThrow(refused);
    writeFileSync(join(sessionsDir, `${id}.jsonl`), '');
    expect(at(join(sessionsDir, `link/${id}.jsonl`))).toBe(join(sessionsDir, `${id}.jsonl`));
  });

  it('so no message reaches the transcript of another agent through such a link', async () => {
    const other = join(home, 'agents/other/sessions');
    const theirs = join(other, 's1.jsonl');
    await createTranscript({ path: theirs, sessionId: 's1', cwd: '/' });
    const before = readFileSync(theirs, 'utf8');
    symlinkSync(other, join(sessionsDir, 'link'));
    const entry = { sessionId: 's1', updatedAt: 1, sessionFile: 'link/s1.jsonl' };
    const append = async () =>
      appendToTranscript(resolveSessionFilePath('s1', entry, { sessionsDir }), {
        type: 'message',
        message: composeUserMessage('not theirs to read', 1),
      });
    await expect(append()).rejects.toEqual(refused);
    expect(readFileSync(theirs, 'utf8')).toBe(before);
    expect(readdirSync(other)).toEqual(['s1.jsonl']);
  });

  it('refuses an invalid session id, whatever is recorded', () => {
    expect(() => resolveSessionFilePath('../x', { sessionFile: 'a.jsonl' }, { sessionsDir })).toThrow(
      expect.objectContaining({ code: 'INVALID_SESSION_ID' }),
    );
  });
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { appendToTranscript, createTranscript } from '@openbot/sessions';
import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from '../../../sessions/test/setup/drafts.ts';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import { cleanTranscript } from '../../src/transcripts/files/clean.ts';
import { measureTranscript } from '../../src/transcripts/files/measure.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

/** Turns with a large result each, in a state folder as OpenBot has it; the last person's message has no answer. */
async function makeSession(turns: number, usage?: object): Promise<string> {
  const folder = join(makeTempFolder(), 'agents/main/sessions');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${SESSION}.jsonl`);
  await createTranscript({ path, sessionId: SESSION, cwd: '/work', durable: false });
  for (let turn = 0; turn < turns; turn++) {
    const answer = assistant({ type: 'text', text: `answer ${turn}` });
    const drafts = [user(`question ${turn}`), call(`c${turn}`), result(`c${turn}`, 'x'.repeat(8000)), answer];
    for (const draft of drafts) if (draft.type === 'message') draft.message.usage = usage;
    await appendToTranscript(path, drafts, { durable: false });
  }
  await appendToTranscript(path, user('and now?'), { durable: false });
  writeFileSync(
    join(folder, 'sessions.json'),
    JSON.stringify({ 'agent:main:main': { sessionId: SESSION, updatedAt: 1 } }),
  );
  return path;
}

const spokenIn = (path: string) =>
  SessionManager.open(path)
    .buildSessionContext()
    .messages.flatMap((message) => {
      const { role, content } = message as { role: string; content: { text?: string }[] };
      return role === 'toolResult' ? [] : content.flatMap(({ text }) => text ?? []);
    });

describe('cleanTranscript', () => {
  it('cleans a session whose last message waits for the run that asks for it', async () => {
    const path = await makeSession(30);
    const before = spokenIn(path);
    const { changed, savedTokens } = await cleanTranscript(path, 'default');
    expect(changed).toBe(true);
    expect(savedTokens).toBeGreaterThan(20_000);
    expect(spokenIn(path)).toEqual(expect.arrayContaining(before));
    await appendToTranscript(path, assistant({ type: 'text', text: 'so' }));
    expect(spokenIn(path).slice(-2)).toEqual(['and now?', 'so']);
  });

  it('shortens also the results of a session with few turns when it must', async () => {
    const path = await makeSession(3);
    const { savedTokens } = await cleanTranscript(path, 'hard');
    expect(savedTokens).toBeGreaterThan(4000);
  });

  it('takes the thinking of an open exchange too where it is bound to what is cleaned before it', async () => {
    const path = await makeSession(30);
    const model = 'claude-opus-5-5';
    const thinking = { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' };
    const thinks = assistant(thinking, { type: 'toolCall', id: 'open', name: 'read', arguments: {} });
    if (thinks.type === 'message') thinks.message.model = model;
    await appendToTranscript(path, [thinks, result('open', 'x'.repeat(8000))], { durable: false });
    const { changed } = await cleanTranscript(path, 'default');
    expect(changed).toBe(true);
    const left = readFileSync(path, 'utf8').split('\n').slice(-3, -1).join();
    expect(left).toMatch(/"open".*x{8000}/s);
    expect(left).not.toContain('c2ln');
  });

  it('says so when there is nothing to clean', async () => {
    const path = await makeSession(0);
    const bytes = readFileSync(path);
    await expect(cleanTranscript(path, 'hard')).resolves.toEqual({ changed: false, savedTokens: 0 });
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe('measureTranscript', () => {
  it('adds what came since to the last recorded figure', async () => {
    const path = await makeSession(2, { input: 1, output: 2, totalTokens: 3 });
    // 'and now?' has 8 characters.
    await expect(measureTranscript(path)).resolves.toBe(3 + 2);
  });

  it('estimates from the text where no figure holds', async () => {
    const path = await makeSession(0);
    await appendToTranscript(path, user('y'.repeat(4000)));
    await expect(measureTranscript(path)).resolves.toBe(1002);
  });

  it('is 0 for a transcript that does not exist', async () => {
    await expect(measureTranscript(join(makeTempFolder(), 'none.jsonl'))).resolves.toBe(0);
  });
});

import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  appendToTranscript,
  createTranscript,
  emitSessionTranscriptUpdate,
  onSessionTranscriptUpdate,
} from '../../src/index.ts';
import { composeUserMessage } from '../../src/transcript/compose.ts';
import { readEntries, useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();
const stops: (() => void)[] = [];
const listen = (listener: Parameters<typeof onSessionTranscriptUpdate>[0]) => {
  const stop = onSessionTranscriptUpdate(listener);
  stops.push(stop);
  return stop;
};
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function nextWarning(cause: () => void): Promise<Error & { code?: string }> {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  cause();
  return warned;
}

describe('transcript updates', () => {
  it('reach every listener until it stops', () => {
    const heard: string[] = [];
    const stop = listen(({ sessionFile }) => heard.push(`a ${sessionFile}`));
    listen(({ sessionFile }) => heard.push(`b ${sessionFile}`));
    emitSessionTranscriptUpdate('/x.jsonl');
    stop();
    stop();
    emitSessionTranscriptUpdate('/y.jsonl');
    emitSessionTranscriptUpdate('  ');
    expect(heard).toEqual(['a /x.jsonl', 'b /x.jsonl', 'b /y.jsonl']);
  });

  it('one function registered twice is called twice and stopped once', () => {
    let calls = 0;
    const listener = () => {
      calls++;
    };
    const stop = listen(listener);
    listen(listener);
    emitSessionTranscriptUpdate('/x');
    stop();
    emitSessionTranscriptUpdate('/x');
    expect(calls).toBe(3);
  });

  it('a listener that fails stops neither the others nor the caller, and is reported', async () => {
    const heard: string[] = [];
    listen(() => {
      throw new Error('first is broken');
    });
    listen(() => heard.push('second'));
    const warning = await nextWarning(() => emitSessionTranscriptUpdate('/x'));
    expect(warning).toMatchObject({
      code: 'OPENBOT_TRANSCRIPT_LISTENER',
      message: expect.stringContaining('first is broken'),
    });
    expect(heard).toEqual(['second']);
    stops.shift()!();
    listen(async () => Promise.reject(new Error('later is broken')));
    const later = await nextWarning(() => emitSessionTranscriptUpdate('/x'));
    expect(later.message).toContain('later is broken');
  });

  it('may register and stop listeners while they are called', () => {
    const heard: string[] = [];
    const stop = listen(() => {
      heard.push('first');
      stop();
      listen(() => heard.push('late'));
    });
    emitSessionTranscriptUpdate('/x');
    expect(heard).toEqual(['first']);
    emitSessionTranscriptUpdate('/x');
    expect(heard).toEqual(['first', 'late']);
  });

  it('follow every append, when its lines are there and its lock is gone', async () => {
    const path = join(folder.path, 's.jsonl');
    await createTranscript({ path, sessionId: 's', cwd: '/w' });
    const heard: [string, number][] = [];
    listen(({ sessionFile }) => heard.push([sessionFile, readEntries(sessionFile).length]));
    const say = (text: string) => ({ type: 'message', message: composeUserMessage(text, 1) }) as const;
    await appendToTranscript(path, say('a'));
    await appendToTranscript(path, [say('b'), say('c')]);
    await appendToTranscript(path, []);
    await expect(appendToTranscript(`${path}.missing`, say('d'))).rejects.toThrow();
    expect(heard).toEqual([
      [path, 2],
      [path, 4],
    ]);
  });

  it('an append from inside a listener does not wait for itself', async () => {
    const path = join(folder.path, 's.jsonl');
    await createTranscript({ path, sessionId: 's', cwd: '/w' });
    let inner: Promise<unknown> | undefined;
    listen(() => {
      inner ??= appendToTranscript(path, { type: 'custom', customType: 'seen' });
    });
    await appendToTranscript(path, { type: 'custom', customType: 'first' });
    await inner;
    expect(readEntries(path).map((entry) => entry.customType)).toEqual([undefined, 'first', 'seen']);
  });
});

import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { scanTranscriptFile } from '../../src/index.ts';
import { startChild } from '../setup/child.ts';
import { useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const LINES = 2000;
const LINE_BYTES = 80_000;

it('a transcript of 160 MB is forked and shortened without going through memory', LONG, async () => {
  const KEY = 'agent:main:main';
  agent.writeStore({ [KEY]: { sessionId: 'parent', updatedAt: 1 } });
  const fd = openSync(agent.path('parent.jsonl'), 'w');
  writeSync(fd, '{"type":"session","version":3,"id":"parent","timestamp":"t","cwd":"/"}\n');
  const filler = 'x'.repeat(LINE_BYTES);
  for (let i = 0; i < LINES; i++) {
    const id = String(i).padStart(8, '0');
    const parentId = i === 0 ? null : String(i - 1).padStart(8, '0');
    writeSync(
      fd,
      `${JSON.stringify({ type: 'message', id, parentId, timestamp: 't', message: { role: 'user', content: filler, timestamp: i } })}\n`,
    );
  }
  closeSync(fd);
  const { size } = statSync(agent.path('parent.jsonl'));
  const script = new URL('./children/fork-and-compact.ts', import.meta.url);
  const child = startChild(script, [agent.storePath, KEY]);
  expect(await child.ended).toBe(0);
  expect(Number(child.output())).toBeLessThan(96);

  const fork = await scanTranscriptFile(agent.path('fork.jsonl'));
  expect(fork.length).toBe(LINES + 1);
  expect(statSync(agent.path('fork.jsonl')).size).toBeGreaterThan(size);
  const short = await scanTranscriptFile(agent.path('parent.jsonl'));
  expect(short.length).toBe(1001);
  expect(short.idOf(1000)).toBe(String(LINES - 1).padStart(8, '0'));
});

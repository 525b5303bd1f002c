import { execFile } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { programOf } from '../../../../test/setup/programs.ts';
import { discoverSessions } from '../../src/discover/discover-sessions.ts';
import { referenceHeader } from '../scan/reference-header.ts';
import { makeHome } from './claude-home.ts';

const CHILD = programOf(import.meta.dirname, 'discover-child.ts');

test('several processes share one index and all have the right answer', async () => {
  const { makeFolder, addSession, options, env, stateDir, projects } = makeHome();
  const repo = makeFolder('repo');
  const ids = Array.from({ length: 12 }, () => addSession(repo));
  const run = () =>
    promisify(execFile)(process.execPath, [CHILD, repo, stateDir, '15'], {
      env: { ...process.env, ...env },
    });
  const answers = (await Promise.all([run(), run(), run()])).flatMap(({ stdout }) =>
    stdout.trim().split('\n'),
  );
  expect(answers).toHaveLength(45);
  expect(new Set(answers)).toEqual(new Set([JSON.stringify(ids.map((id) => [id, 3]).sort())]));
  appendFileSync(join(projects, readdirSync(projects)[0]!, `${ids[0]}.jsonl`), '{"type":"tag"}\n');
  const counts = (await discoverSessions(repo, options)).map(({ sessionId, lineCount }) => [
    sessionId,
    lineCount,
  ]);
  expect(counts.sort()).toEqual(ids.map((id) => [id, id === ids[0] ? 4 : 3]).sort());
  expect(readdirSync(join(stateDir, 'cache/claude-sessions'))).toHaveLength(1);
});

test('a session that is written to meanwhile is known up to some line, and in the end to the last', async () => {
  const { makeFolder, addSession, options, projects } = makeHome();
  const repo = makeFolder('repo');
  const id = addSession(repo);
  const path = join(projects, readdirSync(projects)[0]!, `${id}.jsonl`);
  const template = readFileSync(path, 'utf8').trim().split('\n').at(-1)!;
  let isOver = false;
  const counts: number[] = [];
  const watching = (async () => {
    while (!isOver) {
      const [session] = await discoverSessions(repo, options);
      counts.push(session!.messageCount);
    }
  })();
  for (let i = 0; i < 200; i++) {
    const line = `${template.replaceAll(`msg_${id}`, `msg_${Math.floor(i / 2)}`)}\n`;
    for (const piece of [line.slice(0, i), line.slice(i)]) {
      appendFileSync(path, piece);
      await nextTurn();
    }
  }
  isOver = true;
  await watching;
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  const { messageCount, lineCount, totalInputTokens } = referenceHeader(readFileSync(path, 'utf8'));
  expect(messageCount).toBe(102);
  expect(await discoverSessions(repo, options)).toMatchObject([
    { messageCount, lineCount, totalInputTokens },
  ]);
});

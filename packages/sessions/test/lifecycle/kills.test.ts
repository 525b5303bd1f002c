import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { HUNT, tries } from '../../../../test/setup/hunt.ts';
import { appendAssistantMessageToSessionTranscript, initSessionState } from '../../src/index.ts';
import { startChild } from '../setup/child.ts';
import { readWithPi, useAgentFolder } from './agent-folder.ts';

const agent = useAgentFolder();
const LIVE = new URL('./children/live.ts', import.meta.url);
const KILLS = tries({ gate: 3, torture: 60 });

it(
  'killed at any moment of a reset, a compaction or a deletion: no word is lost, and the next call tidies up',
  HUNT,
  async () => {
    const said = new Set<string>();
    let kills = 0;
    for (let round = 0; kills < KILLS; round++) {
      const child = startChild(LIVE, [agent.storePath, `r${round}`]);
      await child.printed(`r${round}-0a`);
      // From the middle of the first reset to several rounds later, by an even spread instead of by chance.
      await sleep((round * 37) % 120);
      child.process.kill('SIGKILL');
      expect(await child.ended).toBeNull();
      kills++;
      for (const text of child.output().split('\n').slice(0, -1)) said.add(text);

      const before = agent.readStore();
      const { sessionEntry, isNewSession } = await initSessionState({
        ctx: { Body: 'are you there?' },
        cfg: { session: { reset: { mode: 'manual' } } },
        storePath: agent.storePath,
        onArchiveFailure: (error) => {
          throw error;
        },
      });
      if (!isNewSession) expect(sessionEntry.sessionId).toBe(before['agent:main:main']?.sessionId);
      expect(agent.entry()).not.toHaveProperty('pendingArchives');
      const text = `r${round}-99a`;
      const { storePath } = agent;
      const sessionKey = 'agent:main:main';
      expect(await appendAssistantMessageToSessionTranscript({ storePath, sessionKey, text })).toMatchObject({
        ok: true,
      });
      said.add(text);
      const files = agent.files();
      expect(files.filter((name) => /\.(?:lock|tmp|claim|claimed)$/.test(name))).toEqual([]);
      // What has a transcript's name is the transcript of the session: nothing is left between live and archived.
      const own = basename(agent.entry().sessionFile!);
      expect(files.filter((name) => name.endsWith('.jsonl'))).toEqual([own]);
      expect(readWithPi(agent.path(own)).at(-1)).toBe(`assistant: ${text}`);
    }

    const found = new Set<string>();
    for (const name of readdirSync(agent.folder)) {
      if (!name.includes('.jsonl')) continue;
      const text = readFileSync(agent.path(name), 'utf8');
      expect(text.startsWith('{"type":"session"')).toBe(true);
      for (const [, word] of text.matchAll(/"text":"(r\d+-\d+[abc])"/g)) found.add(word!);
    }
    expect([...said].filter((text) => !found.has(text))).toEqual([]);
    expect(said.size).toBeGreaterThan(KILLS);
  },
);

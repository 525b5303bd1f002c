import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startMessagesApi } from '../../../../../test/imitations/messages-api.ts';
import { blocksOf, call, say } from '../../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { LONG, makeChance, tries } from '../../../../../test/setup/hunt.ts';
import { makeAgentBench } from '../../setup/agent-process.ts';
import { COMMAND } from '../../setup/command-file.ts';

/** Kills the process when the provider gets a request, or some time after that; then another one takes over. */
test('a turn whose process is killed is done once by the next one', LONG, async () => {
  const chance = makeChance();
  for (let round = 0; round < tries({ gate: 0, torture: 50 }); round++) {
    const bench = makeAgentBench();
    let victim: ChildProcess | undefined;
    let requestsLeft = 1 + (round % 2);
    const delayMs = round % 4 < 2 ? 0 : Math.trunc(chance() * 60);
    let calls = 0;
    const api = await startMessagesApi({
      replies: async ({ messages }) => {
        if (victim !== undefined && --requestsLeft === 0) {
          const killed = victim;
          victim = undefined;
          if (delayMs === 0) killed.kill('SIGKILL');
          else void sleep(delayMs).then(() => killed.kill('SIGKILL'));
        }
        const last = blocksOf(messages.at(-1)!);
        if (last.some(({ type }) => type === 'tool_result')) return { blocks: [say('Written.')] };
        if (JSON.stringify(last).includes('and now?')) return { blocks: [say('Heard.')] };
        const args = { path: 'a.txt', content: 'A' };
        return { blocks: [say('I write.'), call(`toolu_${++calls}`, 'write_file', args)] };
      },
    });
    afterTest(() => api.close());
    const far = { baseUrl: api.url, apiKey: 'key', api: 'anthropic-messages', models: [{ id: 'm' }] };
    bench.configure({ agents: { defaults: { model: 'far/m' } }, models: { providers: { far } } });
    const child = spawn(process.execPath, [...COMMAND, 'agent', '-m', 'write it'], {
      env: bench.env as NodeJS.ProcessEnv,
      stdio: 'ignore',
    });
    afterTest(() => void child.kill('SIGKILL'));
    victim = child;
    await once(child, 'exit');
    const next = await bench.agent(['-m', 'and now?']);
    expect(next).toMatchObject({ code: 0, stdout: expect.stringContaining('Heard.') });
    expect(api.faults).toEqual([]);
    expect(readFileSync(join(bench.stateDir, 'workspace/a.txt'), 'utf8')).toBe('A');
    const said = bench.lines().flatMap(({ message }) => {
      const { role, content } = (message ?? {}) as { role?: string; content?: { text?: string }[] };
      return role === undefined ? [] : [`${role}: ${content!.map(({ text }) => text ?? '').join('')}`];
    });
    expect(said.filter((line) => line === 'assistant: Written.')).toHaveLength(1);
    expect(said.at(-1)).toBe('assistant: Heard.');
    expect(said.filter((line) => line.startsWith('user:') && line.includes('and now?'))).toHaveLength(1);
  }
});

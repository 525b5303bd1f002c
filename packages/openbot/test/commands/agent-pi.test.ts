/** `openbot agent` with models of pi. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { describe, expect, it } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import type { Script } from '../../src/runners/script/script.ts';
import { KEY, startAnthropicKind, startOpenaiKind } from '../runners/pi/scripted-provider.ts';
import { type AgentBench, makeAgentBench } from '../setup/agent-process.ts';

const SCRIPT: Script = {
  contextWindow: 100_000,
  turns: [
    {
      when: 'write',
      steps: [
        { thinking: 'A file.' },
        { tool: 'write_file', args: { path: 'a.txt', content: 'A' } },
        { text: 'Written.' },
      ],
    },
    { when: 'stall', steps: [{ text: 'Hm' }, { stall: true }] },
    { steps: [{ text: 'Heard.' }] },
  ],
};

async function startBench(start: typeof startAnthropicKind, script: Script = SCRIPT) {
  const provider = await start(script);
  const bench = makeAgentBench({ FAR_KEY: KEY });
  const far = { ...provider.settings, apiKey: `\${FAR_KEY}` };
  bench.configure({ agents: { defaults: { model: 'far/m' } }, models: { providers: { far } } });
  return { bench, provider };
}

const transcriptOf = (bench: AgentBench) =>
  join(bench.stateDir, 'agents/main/sessions', `${bench.store()['agent:main:main']!.sessionId}.jsonl`);

describe.each(
  sample(
    [
      ['Anthropic', startAnthropicKind],
      ['OpenAI', startOpenaiKind],
    ],
    { gate: 1 },
  ),
)('a provider of the %s kind', HUNT, (_kind, start) => {
  it('answers, uses tools, and remembers in the next process', async () => {
    const { bench, provider } = await startBench(start);
    const first = await bench.agent(['-m', 'write a file']);
    expect(first).toEqual({ code: 0, stdout: expect.stringContaining('Written.'), stderr: '' });
    expect(readFileSync(join(bench.stateDir, 'workspace/a.txt'), 'utf8')).toBe('A');
    const second = await bench.json('-m', 'and now?');
    expect(second.payloads[0]!.text).toBe('Heard.');
    expect(second.meta.agentMeta).toMatchObject({ provider: 'far', model: 'm' });
    expect(JSON.stringify(provider.conversations.at(-1))).toContain('write a file');
    expect(provider.faults).toEqual([]);
    const types = bench.lines().map(({ type }) => type);
    expect(types.filter((type) => type === 'model_change')).toHaveLength(1);
    expect(types.filter((type) => type === 'thinking_level_change').length).toBeLessThanOrEqual(1);
    expect(bench.store()['agent:main:main']).toMatchObject({ modelProvider: 'far', model: 'm' });
    const pi = SessionManager.open(transcriptOf(bench));
    expect(pi.buildSessionContext().model).toEqual({ provider: 'far', modelId: 'm' });
    expect(existsSync(join(bench.folder, '.pi'))).toBe(false);
    expect(readFileSync(transcriptOf(bench), 'utf8')).not.toContain(KEY);
  });
});

describe('a turn that pi runs', () => {
  it('goes on with what a scripted model said, and back', LONG, async () => {
    const { bench, provider } = await startBench(startAnthropicKind);
    await bench.agentHere('-m', 'my colour is green', '--model', 'script/echo');
    await bench.agentHere('-m', 'and now?');
    expect(JSON.stringify(provider.conversations.at(-1))).toContain('You said: my colour is green');
    expect(provider.faults).toEqual([]);
    const { stdout } = await bench.agentHere(
      '-m',
      'what did I say about my colour?',
      '--model',
      'script/echo',
    );
    expect(stdout).toContain('> my colour is green');
  });

  it('is held to the time of a run', LONG, async () => {
    const { bench } = await startBench(startAnthropicKind);
    const { code, stderr } = await bench.agentHere('-m', 'stall', '--timeout', '2');
    expect(code).not.toBe(0);
    expect(stderr).toContain('too long');
    expect((await bench.agentHere('-m', 'and now?')).stdout).toContain('Heard.');
  });
});

describe('what must be set', () => {
  it('a key', async () => {
    const bench = makeAgentBench();
    const { code, stderr } = await bench.agentHere('-m', 'hello', '--model', 'anthropic/claude-sonnet-4-5');
    expect(code).not.toBe(0);
    expect(stderr).toContain('There is no key for anthropic/claude-sonnet-4-5');
    expect(stderr).toContain('ANTHROPIC_API_KEY');
    expect(stderr).toContain(join(bench.stateDir, 'openbot.json'));
  });

  it('a model', async () => {
    const bench = makeAgentBench();
    const { code, stderr } = await bench.agentHere('-m', 'hello', '--model', 'anthropic/none');
    expect(code).not.toBe(0);
    expect(stderr).toContain('There is no model anthropic/none');
    expect(stderr).toContain('models.providers');
  });

  it('a provider that is described well: the message names the setting and no value', async () => {
    const bench = makeAgentBench();
    const models = [{ id: 'm', contextWindow: 'a lot' }];
    bench.configure({ models: { providers: { far: { baseUrl: 'secret', apiKey: 7, models } } } });
    const { code, stderr } = await bench.agentHere('-m', 'hello');
    expect(code).not.toBe(0);
    for (const setting of ['baseUrl', 'apiKey', 'models[0].contextWindow'])
      expect(stderr).toContain(`models.providers.far.${setting}`);
    expect(stderr).not.toContain('secret');
  });
});

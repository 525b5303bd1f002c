/** What settings of agents, tools and providers do, each through a process of its own. `effects.ts` lists which. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startChatApi } from '../../../../test/imitations/chat-api.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeAgentBench } from '../setup/agent-process.ts';

describe('settings of an agent and of providers', () => {
  test('reach the request to the model', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 };
    const api = await startChatApi({ key: 'from-a-file', reply: () => ({ text: 'Heard.', usage }) });
    afterTest(() => api.close());
    const bench = makeAgentBench();
    const skill = join(bench.folder, 'skills', 'mine');
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: mine\ndescription: Knows the tides\n---\nx');
    mkdirSync(join(bench.folder, 'ship'));
    writeFileSync(join(bench.folder, 'ship', 'SOUL.md'), 'You love the sea.');
    writeFileSync(join(bench.stateDir, 'key'), 'from-a-file\n', { mode: 0o600 });
    const model = {
      id: 'm',
      api: 'openai-completions',
      baseUrl: api.url,
      contextWindow: 54_321,
      maxTokens: 321,
      reasoning: true,
      input: ['text'],
      cost: { input: 1000, output: 2000, cacheRead: 10, cacheWrite: 20 },
      headers: { 'x-model': 'two' },
    };
    const far = {
      baseUrl: 'http://127.0.0.1:1',
      api: 'anthropic-messages',
      apiKey: 'file:./key',
      headers: { 'x-far': 'one' },
      models: [model],
    };
    bench.configure({
      agents: {
        list: [
          { id: 'other' },
          {
            id: 'ops',
            default: true,
            name: 'Opsy',
            workspace: join(bench.folder, 'ship'),
            systemPrompt: 'Talk like a pirate.',
            userTimezone: 'Asia/Tokyo',
            skills: ['mine'],
            tools: { allow: ['read_file'] },
            thinkingDefault: 'high',
            model: { primary: 'quick' },
            models: { 'far/m': { alias: 'quick' } },
          },
        ],
      },
      session: { mainKey: 'home' },
      skills: { load: { extraDirs: [join(bench.folder, 'skills')] }, allowBundled: [] },
      models: { providers: { far } },
    });
    const { meta } = await bench.json('-m', 'hello');
    expect(meta.agentMeta).toMatchObject({
      agentId: 'ops',
      sessionKey: 'agent:ops:home',
      provider: 'far',
      model: 'm',
    });
    const [request] = api.requests;
    expect(request?.headers).toMatchObject({ 'x-far': 'one', 'x-model': 'two' });
    const body = request?.body as Record<string, unknown> & (typeof api.conversations)[number];
    const system = JSON.stringify(body.messages[0]);
    for (const part of ['Talk like a pirate.', 'Opsy', 'You love the sea.', 'Knows the tides']) {
      expect(system).toContain(part);
    }
    expect(JSON.stringify(body.messages[1])).toContain('Asia/Tokyo');
    expect(system).not.toContain('skill name=\\"occ');
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(['read_file']);
    expect(body).toMatchObject({ model: 'm', max_completion_tokens: 321, reasoning_effort: 'high' });
    expect(bench.store('ops')['agent:ops:home']).toMatchObject({ contextTokens: 54_321 });
    const answer = bench
      .lines('ops')
      .findLast(({ message }) => (message as { role?: string })?.role === 'assistant');
    const { cost, ...tokens } = (
      answer!.message as { usage: Record<string, number> & { cost: Record<string, number> } }
    ).usage;
    expect(cost.input).toBeCloseTo((tokens.input! * 1000) / 1e6);
    expect(cost.output).toBeCloseTo((tokens.output! * 2000) / 1e6);
    expect(tokens.input).toBeGreaterThan(0);
  });

  test('choose tools and what is shown', async () => {
    const bench = makeAgentBench();
    bench.addScript('m', [
      {
        steps: [
          { thinking: 'Hm, a file.' },
          { tool: 'write_file', args: { path: 'a', content: 'A' } },
          { text: '{{result}}' },
        ],
      },
    ]);
    bench.configure({
      agents: {
        defaults: {
          model: 'script/m',
          models: { 'script/m': { contextWindow: 55_555 } },
          tools: ['read_file'],
          reasoningDefault: 'on',
          verboseDefault: 'full',
        },
      },
      messages: { responsePrefix: '[{modelFull}]' },
    });
    const texts = (await bench.json('-m', 'go')).payloads.map(({ text }) => text).join('\n');
    expect(texts).toContain('Hm, a file.');
    expect(texts).toContain('The tool write_file must not be used');
    expect(texts).toContain('[script/m]');
    expect(texts).toMatch(/write_file.*\n/);
    expect(bench.store()['agent:main:main']).toMatchObject({ contextTokens: 55_555 });
  });

  test('limit a run', async () => {
    const bench = makeAgentBench();
    bench.addScript('m', [{ when: 'wait', steps: [{ stall: true }] }, { steps: [{ text: 'ok' }] }]);
    const solo = { model: 'script/m', contextTokens: 4321 };
    bench.configure({ agents: { entries: { solo: { ...solo, timeoutSeconds: 0.2 } } } });
    expect((await bench.agent(['-m', 'wait'])).stderr).toMatch(/longer than|timed out|took/i);
    bench.configure({ agents: { entries: { solo } } });
    await bench.agent(['-m', 'hello']);
    expect(bench.store('solo')['agent:solo:main']).toMatchObject({ contextTokens: 4321 });
  });

  test('limit a task of a spawned session', async () => {
    const bench = makeAgentBench();
    bench.addScript('m', [
      {
        when: 'begin',
        steps: [{ tool: 'sessions_spawn', args: { task: 'wait here' } }, { text: 'Begun.' }],
      },
      { steps: [{ text: 'Told: {{prompt}}' }] },
    ]);
    bench.addScript('child', [{ steps: [{ stall: true }] }]);
    const subagents = { runTimeoutSeconds: 0.2, model: 'script/child', thinking: 'high' };
    bench.configure({ agents: { defaults: { model: 'script/m', subagents } } });
    await bench.agent(['-m', 'begin']);
    const child = Object.values(bench.store()).find(({ spawnedBy }) => spawnedBy !== undefined);
    expect(child).toMatchObject({ abortedLastRun: true, modelOverride: 'child', thinkingLevel: 'high' });
  });

  test('say when memories are saved, also of one agent', async () => {
    const bench = makeAgentBench();
    bench.addScript('m', [{ steps: [{ usage: { input: 15_000, output: 10 } }, { text: 'ok' }] }], 20_000);
    const compaction = {
      reserveTokensFloor: 3000,
      memoryFlush: { softThresholdTokens: 2500, prompt: 'Save it all.' },
    };
    const agent = (id: string, memoryFlush?: object) => ({
      id,
      ...(memoryFlush && { compaction: { memoryFlush } }),
    });
    bench.configure({
      agents: {
        defaults: { model: 'script/m', compaction },
        list: [
          agent('plain'),
          agent('later', { softThresholdTokens: 100 }),
          agent('never', { enabled: false }),
        ],
      },
    });
    const isSaved = async (agentId: string) => {
      await bench.agent(['--agent', agentId, '-m', 'one']);
      await bench.agent(['--agent', agentId, '-m', 'two']);
      return JSON.stringify(bench.lines(agentId)).includes('Save it all.');
    };
    // 20,000 - 3,000 - 2,500 is less than what the first turn used; 20,000 - 3,000 - 100 is more.
    expect(await Promise.all(['plain', 'later', 'never'].map(isSaved))).toEqual([true, false, false]);
  });

  test('allow commands, and give them variables', async () => {
    const bench = makeAgentBench({ FOR_COMMANDS: 'given', NOT_FOR_THEM: 'kept' });
    const command = 'printenv FOR_COMMANDS NOT_FOR_THEM';
    bench.addScript('m', [
      { when: 'sleep', steps: [{ tool: 'exec', args: { command: 'sleep 600' } }, { text: '{{result}}' }] },
      { steps: [{ tool: 'exec', args: { command } }, { text: '{{result}}' }] },
    ]);
    const exec = {
      security: 'allowlist',
      allowlist: [command, 'sleep 600'],
      passEnv: ['FOR_COMMANDS'],
      timeoutSec: 1,
    };
    bench.configure({ agents: { defaults: { model: 'script/m' } }, tools: { exec } });
    const { stdout } = await bench.agent(['-m', 'go']);
    expect(stdout).toContain('given');
    expect(stdout).not.toContain('kept');
    expect((await bench.agent(['-m', 'sleep'])).stdout).toContain('1 s');
    bench.configure({
      agents: { defaults: { model: 'script/m', tools: { exec: { security: 'deny' } } } },
      tools: { exec },
    });
    expect((await bench.agent(['-m', 'go'])).stdout).not.toContain('given');
  });
});

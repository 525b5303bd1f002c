import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { describe, expect, it, vi } from 'vitest';
import { ClaudeBench } from '../../../../test/imitations/claude-bench.ts';
import { findClaudeBinary } from '../../../../test/imitations/claude-binary.ts';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { apiErrors, say } from '../../../../test/imitations/messages-format.ts';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { MODELS_LIST, MODELS_TEST } from '../../src/commands/models/result-shapes.ts';
import type { ListedModel } from '../../src/model-catalog/list-models.ts';
import type { TriedModel } from '../../src/model-catalog/try-model.ts';
import { KEY, startAnthropicKind, startOpenaiKind } from '../runners/pi/scripted-provider.ts';
import { makeOpenbotPlace, type OpenbotPlace } from '../setup/openbot-process.ts';

function configure({ stateDir }: OpenbotPlace, config: object): void {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(join(stateDir, 'openbot.json'), JSON.stringify(config));
}

describe('openbot models list', () => {
  const CONFIG = {
    agents: {
      defaults: {
        model: { primary: 'far/m', fallbacks: ['anthropic/claude-sonnet-4-5', 'script/echo'] },
        models: { 'far/m': { alias: 'quick' } },
      },
      list: [{ id: 'main' }, { id: 'ops', model: 'openai/gpt-5.1' }, { id: 'odd', model: 'far/none' }],
    },
    models: {
      providers: {
        far: {
          baseUrl: 'http://127.0.0.1:9/v1',
          api: 'openai-completions',
          apiKey: `\${FAR_KEY}`,
          models: [{ id: 'm', contextWindow: 32_768, cost: { input: 3, output: 15 } }],
        },
        near: { baseUrl: 'http://127.0.0.1:9/v1', api: 'openai-completions', models: [{ id: 'n' }] },
      },
    },
  };

  it('says what each is for, what it costs, and whether there is a key, but not the key', async () => {
    const place = makeOpenbotPlace({ FAR_KEY: KEY, ANTHROPIC_API_KEY: 'sk-ant-not-shown' });
    configure(place, CONFIG);
    const until = Date.now() + 90_000;
    const cooling = { failure: 'overloaded', failures: 1, since: Date.now() - 1000, until };
    writeFileSync(
      join(place.stateDir, 'model-cooldowns.json'),
      JSON.stringify({ models: { 'far/m': cooling, 'script/echo': { ...cooling, until: 1, since: 0 } } }),
    );
    const listed = await place.json<{ models: ListedModel[] }>('models', 'list');
    expect(listMisfits(MODELS_LIST, listed)).toEqual([]);
    expect(listed.models.map(({ name }) => name)).toEqual([
      'far/m',
      'anthropic/claude-sonnet-4-5',
      'script/echo',
      'openai/gpt-5.1',
      'far/none',
      'near/n',
    ]);
    const byName = Object.fromEntries(listed.models.map((model) => [model.name, model]));
    expect(byName['far/m']).toMatchObject({
      aliases: ['quick'],
      isDefault: true,
      agents: ['main'],
      contextWindow: 32_768,
      cost: { input: 3, output: 15 },
      credential: 'present',
      cooldown: { failure: 'overloaded', until },
    });
    expect(byName['script/echo']).toMatchObject({ fallbackOf: ['main'] });
    expect(byName['script/echo']).not.toHaveProperty('cooldown');
    expect(byName['anthropic/claude-sonnet-4-5']).toMatchObject({
      credential: 'present',
      credentialHint: 'ANTHROPIC_API_KEY',
      cost: { input: expect.any(Number) },
    });
    expect(byName['openai/gpt-5.1']).toMatchObject({ credential: 'missing', agents: ['ops'] });
    expect(byName['openai/gpt-5.1']!.credentialHint).toContain('OPENAI_API_KEY');
    expect(byName['near/n']).toMatchObject({ credential: 'unneeded', isKnown: true });
    expect(byName['far/none']).toMatchObject({ isKnown: false });

    const { stdout, stderr } = await place.run(['models', 'list']);
    expect(stdout).toMatch(/far\/m +quick +default +33k +3, 15 +set +overloaded, again in 2 min/);
    expect(stdout).toMatch(/far\/none .*no such model/);
    expect(stderr).toContain('OPENAI_API_KEY');
    for (const secret of [KEY, 'sk-ant-not-shown']) {
      expect(JSON.stringify(listed)).not.toContain(secret);
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it('lists what providers have with --all', async () => {
    const place = makeOpenbotPlace();
    const { models } = await place.json<{ models: ListedModel[] }>('models', 'list', '--all');
    const names = models.map(({ name }) => name);
    expect(names[0]).toBe('script/echo');
    expect(names).toEqual(expect.arrayContaining(['claude/sonnet', 'anthropic/claude-sonnet-4-5']));
    const groq = await place.run(['models', 'list', '--all', '--provider', 'Groq']);
    expect(groq.stdout).toMatch(/groq\/.* missing/);
    expect(groq.stdout).not.toContain('openai/gpt-5.1 ');
    expect(existsSync(place.stateDir)).toBe(false);
  });
});

describe('openbot models test', () => {
  it.each(
    sample(
      [
        ['Anthropic', startAnthropicKind],
        ['OpenAI', startOpenaiKind],
      ],
      { gate: 1 },
    ),
  )('asks a provider of the %s kind once, and keeps nothing', HUNT, async (_kind, start) => {
    const provider = await start({ turns: [{ steps: [{ text: 'ready' }] }] });
    const place = makeOpenbotPlace({ FAR_KEY: KEY });
    const far = { ...provider.settings, apiKey: `\${FAR_KEY}` };
    configure(place, {
      agents: { defaults: { model: 'script/echo', models: { 'far/m': { alias: 'quick' } } } },
      models: { providers: { far } },
    });
    // A process: it loads pi beside its bundle.
    const { child, ended } = place.start(['models', 'test', 'quick', '--json']);
    child.stdin!.end();
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    const tried: TriedModel = JSON.parse(stdout);
    expect(listMisfits(MODELS_TEST, tried)).toEqual([]);
    expect(tried).toMatchObject({ name: 'far/m', isAnswered: true, text: 'ready' });
    expect(provider.conversations).toHaveLength(1);
    expect(provider.faults).toEqual([]);
    expect(readdirSync(place.stateDir)).toEqual(['openbot.json']);
  });

  it('says why a model does not answer, and what to do, at once', async () => {
    const api = await startMessagesApi({ replies: () => apiErrors.overloaded() });
    afterTest(() => api.close());
    const place = makeOpenbotPlace();
    vi.stubEnv('TMPDIR', place.folder);
    afterTest(() => vi.unstubAllEnvs());
    const models = [{ id: 'm' }];
    const far = { baseUrl: api.url, api: 'anthropic-messages', apiKey: KEY, models };
    configure(place, { agents: { defaults: { model: 'far/m' } }, models: { providers: { far } } });
    const failed = await place.run(['models', 'test']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^Error: far\/m did not answer \(\d\.\d s\): .*overloaded/i);
    expect(failed.stderr).not.toContain(KEY);

    const missing = await place.run(['models', 'test', 'anthropic/claude-sonnet-4-5', '--json']);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stderr).error).toMatchObject({
      code: 'RUN_FAILED',
      hint: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
    expect((await place.run(['models', 'test', 'far/n'])).stderr).toContain('Did you mean far/m?');
    expect(readdirSync(place.folder).filter((name) => name.startsWith('openbot-'))).toEqual([]);
  });
});

const binary = findClaudeBinary();
const isMissing = 'missing' in binary;

describe.skipIf(isMissing)(
  `openbot models test with the real Claude Code${isMissing ? `: ${binary.missing}` : ''}`,
  () => {
    it('asks it, and leaves no session of it behind', async () => {
      const claude = await ClaudeBench.open();
      afterTest(() => claude.close());
      claude.api.setReplies([{ blocks: [say('ready')] }]);
      const place = makeOpenbotPlace(claude.home.env as Record<string, string>);
      const tried = await place.json<TriedModel>('models', 'test', 'claude/sonnet');
      expect(tried).toMatchObject({ name: 'claude/sonnet', isAnswered: true, text: 'ready' });
      expect(claude.api.conversations).toHaveLength(1);
      const kept = readdirSync(place.folder, { recursive: true }).filter((name) =>
        /\.jsonl$/.test(String(name)),
      );
      const projects = join(claude.home.env.CLAUDE_CONFIG_DIR!, 'projects');
      const sessions = existsSync(projects) ? readdirSync(projects, { recursive: true }) : [];
      expect([...kept, ...sessions.filter((name) => /\.jsonl$/.test(String(name)))]).toEqual([]);
      expect(existsSync(place.stateDir)).toBe(false);
    });
  },
);

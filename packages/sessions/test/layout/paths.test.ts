import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { OPENCLAW_STATE, resolveAgentDatabasePath, resolveUserPath } from '../../src/exports/layout.ts';
import {
  resolveAgentId,
  resolveDefaultSessionStorePath,
  resolveSessionTranscriptPath,
  resolveSessionTranscriptsDirForAgent,
  resolveStateDir,
  resolveStorePath,
} from '../../src/index.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let home: string;
beforeEach(() => {
  home = makeTempFolder();
});

describe('resolveStateDir', () => {
  it('prefers flag, environment, configuration, default, in this order', () => {
    const env = { HOME: home, OPENBOT_STATE_DIR: '/from/env' };
    expect(resolveStateDir({ flag: '/from/flag', env, configured: '/from/config' })).toBe('/from/flag');
    expect(resolveStateDir({ env, configured: '/from/config' })).toBe('/from/env');
    expect(resolveStateDir({ env: { HOME: home }, configured: '~/conf' })).toBe(join(home, 'conf'));
    expect(resolveStateDir({ env: { HOME: home } })).toBe(join(home, '.openbot'));
  });

  it('passes over blank values and leaves the folders of other programs alone', () => {
    mkdirSync(join(home, '.openclaw'));
    const env = { HOME: home, OPENBOT_STATE_DIR: '  ', OPENCLAW_STATE_DIR: '/openclaw' };
    expect(resolveStateDir({ flag: '', env, configured: '' })).toBe(join(home, '.openbot'));
  });

  it('finds an OpenClaw where it is, for programs that work on it', () => {
    const convention = OPENCLAW_STATE;
    const env = { HOME: home };
    expect(resolveStateDir({ env, convention })).toBe(join(home, '.openclaw'));
    mkdirSync(join(home, '.openbot'));
    expect(resolveStateDir({ env, convention })).toBe(join(home, '.openbot'));
    mkdirSync(join(home, '.clawdbot'));
    expect(resolveStateDir({ env, convention })).toBe(join(home, '.clawdbot'));
    writeFileSync(join(home, '.openclaw'), 'a file is no state folder');
    expect(resolveStateDir({ env, convention })).toBe(join(home, '.clawdbot'));
    expect(resolveStateDir({ env: { ...env, CLAWDBOT_STATE_DIR: '/old' }, convention })).toBe('/old');
    const both = { ...env, CLAWDBOT_STATE_DIR: '/old', OPENCLAW_STATE_DIR: '/new' };
    expect(resolveStateDir({ env: both, convention })).toBe('/new');
    const occ = {
      envNames: ['OCC_STATE_DIRECTORY', ...convention.envNames],
      defaultFolders: convention.defaultFolders,
    };
    expect(resolveStateDir({ env: { ...both, OCC_STATE_DIRECTORY: '~/occ' }, convention: occ })).toBe(
      join(home, 'occ'),
    );
  });

  it('is always absolute, and expands only a leading ~', () => {
    const env = { HOME: home };
    expect(resolveStateDir({ flag: 'here', env })).toBe(resolve('here'));
    expect(resolveUserPath('~', env)).toBe(home);
    expect(resolveUserPath('~/a/../b', env)).toBe(join(home, 'b'));
    expect(resolveUserPath('~other/x', env)).toBe(resolve('~other/x'));
    expect(() => resolveUserPath('a\0b', env)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(() => resolveUserPath('~/x', { HOME: 'relative' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
    expect(resolveUserPath('~/x', {})).toBe(join(homedir(), 'x'));
  });
});

describe('resolveAgentId', () => {
  it('prefers flag, the two variables, configuration, main', () => {
    const env = { CLAWDBOT_AGENT_ID: 'One', OPENCLAW_AGENT_ID: 'two' };
    expect(resolveAgentId({ flag: 'Zero', env, configured: 'three' })).toBe('zero');
    expect(resolveAgentId({ env, configured: 'three' })).toBe('one');
    expect(resolveAgentId({ env: { OPENCLAW_AGENT_ID: 'two' }, configured: 'three' })).toBe('two');
    expect(resolveAgentId({ env: { CLAWDBOT_AGENT_ID: ' ' }, configured: 'three' })).toBe('three');
    expect(resolveAgentId({ env: {} })).toBe('main');
    expect(() => resolveAgentId({ flag: '../x', env: {} })).toThrow(
      expect.objectContaining({ code: 'PATH_ESCAPES_FOLDER' }),
    );
  });
});

describe('paths of an agent', () => {
  const options = { stateDir: '/state' };

  it('are those of OpenClaw', () => {
    expect(resolveDefaultSessionStorePath(undefined, options)).toBe(
      '/state/agents/main/sessions/sessions.json',
    );
    expect(resolveSessionTranscriptsDirForAgent('Codex', options)).toBe('/state/agents/codex/sessions');
    expect(resolveSessionTranscriptPath('abc', undefined, undefined, options)).toBe(
      '/state/agents/main/sessions/abc.jsonl',
    );
    expect(resolveSessionTranscriptPath('abc', 'codex', 42, options)).toBe(
      '/state/agents/codex/sessions/abc-topic-42.jsonl',
    );
    expect(resolveAgentDatabasePath('Codex', options)).toBe(
      '/state/agents/codex/agent/openclaw-agent.sqlite',
    );
  });

  it('follow the environment when no state folder is named', () => {
    process.env.OPENBOT_STATE_DIR = home;
    try {
      expect(resolveDefaultSessionStorePath('x')).toBe(join(home, 'agents/x/sessions/sessions.json'));
    } finally {
      delete process.env.OPENBOT_STATE_DIR;
    }
    expect(resolveDefaultSessionStorePath()).toBe(
      join(process.env.HOME!, '.openbot/agents/main/sessions/sessions.json'),
    );
  });

  it('a configured store may name the agent and the home folder', () => {
    const env = { HOME: home };
    const at = (store: string | undefined, agentId?: string) =>
      resolveStorePath(store, { ...options, env, agentId });
    expect(at(undefined, 'a')).toBe('/state/agents/a/sessions/sessions.json');
    expect(at(' ', 'a')).toBe('/state/agents/a/sessions/sessions.json');
    expect(at('~/s/{agentId}/{agentId}.json', 'My Bot')).toBe(join(home, 's/my-bot/my-bot.json'));
    expect(at('/srv/store.json')).toBe('/srv/store.json');
    expect(at('rel.json')).toBe(resolve('rel.json'));
    expect(() => at('/s/{agentId}.json', '../../etc/x')).toThrow(
      expect.objectContaining({ code: 'PATH_ESCAPES_FOLDER' }),
    );
  });
});

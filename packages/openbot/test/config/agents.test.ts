import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import {
  assertAgentKnown,
  chooseAgentId,
  listAgentIds,
  resolveAgentSettings,
  resolveDefaultAgentId,
} from '../../src/config/agents.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';

const TWO: BotConfig = { agents: { list: [{ id: 'Home' }, { id: 'ops', default: true }] } };
const at = <More extends object>(config: BotConfig, more = {} as More) => ({
  config,
  stateDir: '/state',
  env: { HOME: '/home/me' },
  ...more,
});

describe('the default agent', () => {
  it.each<[string, BotConfig]>([
    ['main', {}],
    ['main', { agents: { list: [] } }],
    ['ops', TWO],
    ['home', { agents: { list: [{ id: 'Home' }, { id: 'ops' }] } }],
    ['work', { agents: { entries: { work: {}, other: {} } } }],
  ])('is %s', (expected, config) => {
    expect(resolveDefaultAgentId(config)).toBe(expected);
  });

  it('flag, then environment, then configuration', () => {
    const env = { OPENCLAW_AGENT_ID: 'home' };
    expect(chooseAgentId(at(TWO))).toBe('ops');
    expect(chooseAgentId(at(TWO, { env }))).toBe('home');
    expect(chooseAgentId(at(TWO, { env, flag: 'OPS' }))).toBe('ops');
  });
});

describe('an agent that does not exist', () => {
  it('is refused, with the nearest name and the place to add it', () => {
    expect(() => chooseAgentId(at(TWO, { flag: 'hoem' }))).toThrowError(
      expect.objectContaining({
        code: 'AGENT_NOT_FOUND',
        message: 'There is no agent hoem',
        hint: 'Did you mean home? To add it: openbot agents add hoem',
      }),
    );
  });

  it('without a similar one, all are listed', () => {
    expect(() => assertAgentKnown(at(TWO, { agentId: 'zebra' }))).toThrowError(
      expect.objectContaining({
        hint: 'Known: home, ops. To add it: openbot agents add zebra',
      }),
    );
  });

  it('a variable that names it is part of the message', () => {
    expect(() => chooseAgentId(at(TWO, { env: { CLAWDBOT_AGENT_ID: 'zebra' } }))).toThrowError(
      'CLAWDBOT_AGENT_ID: There is no agent zebra',
    );
  });

  it('folders count where the configuration lists no agents, and only there', () => {
    const stateDir = makeTempFolder();
    mkdirSync(join(stateDir, 'agents/work/sessions'), { recursive: true });
    mkdirSync(join(stateDir, 'agents/.hidden'));
    expect(listAgentIds({}, stateDir)).toEqual(['main', 'work']);
    expect(chooseAgentId({ config: {}, stateDir, env: {}, flag: 'work' })).toBe('work');
    expect(() => chooseAgentId({ config: TWO, stateDir, env: {}, flag: 'work' })).toThrowError(
      'There is no agent work',
    );
  });

  it.each(['../x', 'a/b', '..'])('a name that leaves the folder is refused: %s', (flag) => {
    expect(() => chooseAgentId(at({}, { flag }))).toThrowError(
      expect.objectContaining({ code: 'PATH_ESCAPES_FOLDER' }),
    );
  });
});

describe('the settings of an agent', () => {
  const config: BotConfig = {
    agents: {
      defaults: {
        model: 'script/demo',
        timeoutSeconds: 60,
        models: { 'a/b': { alias: 'fast' } },
        tools: ['read_file'],
      },
      list: [
        { id: 'home' },
        {
          id: 'ops',
          name: 'Ops',
          timeoutSeconds: 5,
          models: { 'c/d': {} },
          tools: { allow: [] },
          workspace: '~/ops',
        },
      ],
    },
  };

  it('are the defaults with its own in their place', () => {
    expect(resolveAgentSettings(at(config, { agentId: 'ops' }))).toEqual({
      agentId: 'ops',
      compaction: { memoryFlush: {} },
      name: 'Ops',
      model: 'script/demo',
      timeoutSeconds: 5,
      models: { 'a/b': { alias: 'fast' }, 'c/d': {} },
      tools: [],
      exec: {},
      permissions: {},
      workspaceDir: '/home/me/ops',
      userTimezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    const berlin = { agents: { ...config.agents, defaults: { userTimezone: 'Europe/Berlin' } } };
    expect(resolveAgentSettings(at(berlin, { agentId: 'ops' })).userTimezone).toBe('Europe/Berlin');
    expect(resolveAgentSettings(at(config, { agentId: 'home' }))).toMatchObject({
      timeoutSeconds: 60,
      tools: ['read_file'],
      workspaceDir: '/state/workspace',
    });
  });

  it('of exec and of permissions are merged one by one', () => {
    const merged: BotConfig = {
      tools: { exec: { security: 'allowlist', allowlist: ['ls'], timeoutSec: 9 } },
      agents: {
        defaults: { permissions: { allow: ['Read'], deny: ['Bash(rm:*)'] }, tools: { exec: { ask: 'off' } } },
        list: [
          {
            id: 'ops',
            permissions: { allow: ['Bash'] },
            tools: { allow: ['exec'], exec: { security: 'full' } },
          },
          { id: 'home', tools: ['read_file'] },
        ],
      },
    };
    expect(resolveAgentSettings(at(merged, { agentId: 'ops' }))).toMatchObject({
      tools: ['exec'],
      exec: { security: 'full', allowlist: ['ls'], timeoutSec: 9, ask: 'off' },
      permissions: { allow: ['Bash'], deny: ['Bash(rm:*)'] },
    });
    expect(resolveAgentSettings(at(merged, { agentId: 'home' }))).toMatchObject({
      tools: ['read_file'],
      exec: { security: 'allowlist' },
      permissions: { allow: ['Read'] },
    });
  });

  it.each<[string, string, BotConfig]>([
    ['/state/workspace', 'main', {}],
    ['/state/workspace', 'ops', TWO],
    ['/state/workspace-home', 'home', TWO],
    ['/home/me/w', 'ops', { agents: { ...TWO.agents, defaults: { workspace: '~/w' } } }],
    ['/home/me/w/home', 'home', { agents: { ...TWO.agents, defaults: { workspace: '~/w' } } }],
  ])('workspace %s of %s', (expected, agentId, one) => {
    expect(resolveAgentSettings(at(one, { agentId })).workspaceDir).toBe(expected);
  });
});

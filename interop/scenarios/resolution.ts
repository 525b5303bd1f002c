/** Where OpenClaw keeps its sessions depends on its environment and settings: occ finds the same session unnamed. */
import { deepEqual, equal } from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandOptions, parsePrinted, runOcc, runOpenclaw } from '../commands.ts';
import type { Scenario, Scene } from '../scene.ts';
import { say } from '../script.ts';

interface Place {
  /** Folder of the settings, in the home of the scenario. */
  readonly state: string;
  readonly env?: CommandOptions['env'];
  readonly settings?: { readonly session?: object; readonly agents?: object };
  /** Options of OpenClaw that stand before a command. */
  readonly flags?: readonly string[];
  /** The environment that OpenClaw makes of them for what it starts. */
  readonly envOfFlags?: CommandOptions['env'];
  readonly agent?: string;
}

function resolvedAs(name: string, describe: (root: string) => Place): Scenario {
  return {
    name: `occ finds the session that OpenClaw means: ${name}`,
    async run(scene) {
      const root = join(scene.home.root, name.replaceAll(/\W+/g, '-'));
      const place = describe(root);
      writeSettings(scene, join(root, place.state), place.settings);
      const env = { HOME: root, USERPROFILE: root, OPENCLAW_STATE_DIR: undefined, ...place.env };
      const openclaw = (...args: string[]) =>
        runOpenclaw(scene.install, scene.home, [...(place.flags ?? []), ...args], { env });
      const key = `agent:${place.agent ?? 'main'}:resolved`;
      const message = [`question for ${name}`, say('answer')].join('\n');
      await openclaw('agent', '--local', '--session-key', key, '--json', '--message', message);
      const { sessions } = parsePrinted(await openclaw('sessions', '--json')) as {
        sessions: { key: string; sessionId: string }[];
      };
      deepEqual(
        sessions.map((session) => session.key),
        [key],
        'what OpenClaw lists',
      );
      const found = await runOcc(scene.home, ['info'], { env: { ...env, ...place.envOfFlags } });
      equal(found.sessionId, sessions[0]?.sessionId, 'what occ takes for the current session');
    },
  };
}

export const resolutions: readonly Scenario[] = [
  resolvedAs('OPENCLAW_HOME', (root) => ({
    state: 'other/.openclaw',
    env: { OPENCLAW_HOME: join(root, 'other') },
  })),
  resolvedAs('--profile', () => ({
    state: '.openclaw-work',
    flags: ['--profile', 'work'],
    envOfFlags: { OPENCLAW_PROFILE: 'work' },
  })),
  resolvedAs('session.store', () => ({
    state: '.openclaw',
    settings: { session: { store: '~/stores/{agentId}/sessions.json' } },
  })),
  resolvedAs('the default agent', () => ({
    state: '.openclaw',
    settings: { agents: { list: [{ id: 'work' }, { id: 'home', default: true }] } },
    agent: 'home',
  })),
];

/** Those of the scenario's own OpenClaw, and some more. */
function writeSettings(scene: Scene, state: string, more: Place['settings'] = {}): void {
  const path = join(scene.home.state, 'openclaw.json');
  const settings = JSON.parse(readFileSync(path, 'utf8')) as { agents: object };
  mkdirSync(state, { recursive: true });
  const whole = { ...settings, ...more, agents: { ...settings.agents, ...more.agents } };
  writeFileSync(join(state, 'openclaw.json'), JSON.stringify(whole));
}

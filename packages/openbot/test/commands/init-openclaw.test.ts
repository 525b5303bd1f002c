/** `openbot init --from-openclaw` as a person runs it. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits } from '@openbot/sessions/command-line';
import { describe, expect, it } from 'vitest';
import { composeSession } from '../../../sessions/test/openclaw-db/setup/compose-session.ts';
import { addTurn } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { makeAgentDatabase } from '../../../sessions/test/openclaw-db/setup/make-database.ts';
import { FROM_OPENCLAW } from '../../src/commands/init/result-shapes.ts';
import type { ImportedOpenclaw } from '../../src/openclaw-import/import-openclaw.ts';
import { addDatabaseFixture, addFileFixture, makeOpenclawHome } from '../openclaw-import/openclaw-home.ts';
import { makeOpenbotPlace } from '../setup/openbot-process.ts';
import { waitFor } from '../setup/terminal-command.ts';

const SESSIONS = 30;
const TOKEN = '123456:token-of-the-bot';

describe('openbot init --from-openclaw', () => {
  it('brings settings and sessions of both eras over, says what it left out, and agents go on', async () => {
    const place = makeOpenbotPlace();
    const home = makeOpenclawHome(place.folder);
    home.configure({
      agents: {
        defaults: { model: 'script/echo' },
        list: [{ id: 'main' }, { id: 'ops', name: 'Ops', model: 'openai/gpt-5.1' }],
      },
      channels: { telegram: { botToken: TOKEN, dmPolicy: 'pairing', dm: { policy: 'allowlist' } } },
      gateway: { auth: { token: 'gateway-secret' } },
      session: { reset: { mode: 'manual' } },
    });
    addDatabaseFixture(home, 'main');
    addFileFixture(home, '2026.7.35', 'ops');
    const before = home.state();

    const dry = await place.json<ImportedOpenclaw>('init', '--from-openclaw', '--dry-run');
    expect(listMisfits(FROM_OPENCLAW, dry)).toEqual([]);
    expect(existsSync(place.stateDir)).toBe(false);

    const { code, stdout, stderr } = await place.run(['init', '--from-openclaw', home.stateDir]);
    expect(code).toBe(0);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(
      /^Warning: channels\.telegram is turned off\. .*dm\.policy.* openbot config set channels\.telegram\.enabled true $/,
    );
    expect(stdout).toMatch(
      /Made .*openbot\.json: agents, channels, session\n {2}secret channels\.telegram\.botToken: file:\.\/secrets\/\S+\n/,
    );
    expect(stdout).toContain('Copied agent main: 2 transcripts, 2 entries\n');
    expect(stdout).toContain('Copied agent ops: 10 transcripts, 22 entries\n');
    expect(stdout).toMatch(/Left out:\n[\s\S]*gateway: [\s\S]*3 archives in/);
    expect(stdout).toMatch(
      /Logins of models are not copied[^\n]*models list[^\n]*\nMissing here:\n {2}openai: .*OPENAI_API_KEY/,
    );
    const text = readFileSync(join(place.stateDir, 'openbot.json'), 'utf8');
    expect(text).toMatch(/enabled: false[\s\S]*\/\/ Turned off:\n.*channels\.telegram/);
    expect(text).toMatch(/\/\/ Left out:\n[\s\S]*\/\/ {3}gateway: /);
    for (const secret of [TOKEN, 'gateway-secret']) expect(stdout + text).not.toContain(secret);
    const secret = join(place.stateDir, 'secrets/channels-telegram-botToken');
    expect(readFileSync(secret, 'utf8')).toBe(`${TOKEN}\n`);
    expect(statSync(secret).mode & 0o777).toBe(0o600);

    expect(home.state()).toEqual(before);
    const again = await place.json<ImportedOpenclaw>('init', `--from-openclaw=${home.stateDir}`);
    expect(again.config.state).toBe('exists');
    expect(again.leftOut).toEqual([]);
    expect(again.agents.map(({ transcripts, entries }) => transcripts + entries)).toEqual([0, 0]);
    expect(readFileSync(join(place.stateDir, 'openbot.json'), 'utf8')).toBe(text);

    const said = await place.run([
      'agent',
      '--session-key',
      'agent:main:main',
      '-m',
      'what did I say about hello?',
    ]);
    expect(said.stdout).toContain('hello, read m');
    expect(
      readdirSync(join(place.stateDir, 'agents/main/sessions')).filter((name) => name.endsWith('.jsonl')),
    ).toHaveLength(2);
  });

  it('goes on after it was killed, and leaves no half of a transcript', async () => {
    const place = makeOpenbotPlace();
    const home = makeOpenclawHome(place.folder);
    const sessions = Array.from({ length: SESSIONS }, (_, number) => {
      const session = composeSession({ seed: number });
      for (let turn = 0; turn < 4; turn++) addTurn(session, turn, { resultLength: 20_000 });
      return {
        key: `agent:main:s${number}`,
        sessionId: session.sessionId,
        events: session.events,
        compress: false,
      };
    });
    makeAgentDatabase(home.databaseOf('main'), { sessions });
    const folder = join(place.stateDir, 'agents/main/sessions');
    const names = () => (existsSync(folder) ? readdirSync(folder) : []);
    const killed = place.start(['init', '--from-openclaw']);
    await waitFor(
      () => 'a file of the copy',
      () => names().length > 0 || undefined,
    );
    killed.child.kill('SIGKILL');
    expect((await killed.ended).signal).toBe('SIGKILL');
    const cut = names().filter((name) => name.endsWith('.jsonl'));
    expect(existsSync(join(folder, 'sessions.json')) && cut.length === SESSIONS).toBe(false);

    const imported = await place.json<ImportedOpenclaw>('init', '--from-openclaw');
    expect(imported.agents[0]).toMatchObject({
      transcripts: SESSIONS - cut.length,
      entries: SESSIONS,
      existing: cut.length,
    });
    const made = names();
    expect(made.filter((name) => name.endsWith('.jsonl'))).toHaveLength(SESSIONS);
    for (const { sessionId, events } of sessions) {
      const lines = readFileSync(join(folder, `${sessionId}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines).toHaveLength(events.length);
    }
    expect(made.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('refuses flags that have no meaning with it, and a place without an OpenClaw', async () => {
    const place = makeOpenbotPlace();
    const nothing = await place.run(['init', '--from-openclaw']);
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no OpenClaw in') });
    const both = await place.run(['init', '--from-openclaw', '--model', 'x/y']);
    expect(both).toMatchObject({ stderr: expect.stringContaining('--model and --from-openclaw contradict') });
    writeFileSync(join(place.folder, 'openclaw.json'), '{ "agents": [');
    const broken = await place.run(['init', '--from-openclaw', join(place.folder, 'openclaw.json')]);
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('openclaw.json') });
    expect(existsSync(place.stateDir)).toBe(false);
  });
});

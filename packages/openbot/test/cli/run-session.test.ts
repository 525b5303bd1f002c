/** Which session `cc run` goes on in, and what it says of that. */
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiscoveredSession } from '@openbot/claude-code';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startMessagesApi } from '../../../../test/imitations/messages-api.ts';
import { LONG } from '../../../../test/setup/hunt.ts';
import {
  answer,
  CommandBench,
  lastSaid,
  missing,
  readEvents,
  readLastLine,
  use,
} from '../setup/command-bench.ts';

describe.skipIf(missing !== undefined)(`the session of a run ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    bench.script({});
  });
  afterAll(() => bench?.close());

  test('it names the session and the cost, goes on in it by its id, and the list knows it', async () => {
    const cwd = bench.makeRepo('twice');
    bench.script({ 'to read': () => answer('The parser is taught.') });
    const flags = ['--fresh', '--budget', '5'];
    const first = await bench.run(['cc', 'run', 'teach the parser to read', ...flags], { cwd });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('\nThe parser is taught.\n');
    const { result, sessionId, costs } = readLastLine(first);
    expect([result, costs]).toEqual(['success', expect.stringMatching(/^1 turn, \$0\.\d{4} of \$5\.00$/)]);

    const start = sessionId.slice(0, 8);
    const args = ['cc', 'run', 'teach the parser to write', '--session', start, '--json'];
    const second = await bench.run(args, { cwd });
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const events = readEvents(second);
    expect(events.find(({ type }) => type === 'started')).toMatchObject({ action: 'resume', sessionId });
    expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: { result: 'success', sessionId } });

    const { stdout } = await bench.run(['cc', 'list', '--json'], { cwd });
    expect(JSON.parse(stdout) as DiscoveredSession[]).toEqual([
      expect.objectContaining({
        sessionId,
        source: 'openclaw',
        agentId: 'main',
        isRunning: false,
        totalTurns: 2,
        firstMessage: 'teach the parser to read',
      }),
    ]);
  });

  test('it goes on by its title, and of another agent with a warning', LONG, async () => {
    const cwd = bench.makeRepo('titled');
    bench.script({ look: () => use('mcp__openbot__openclaw_session_list', {}) });
    const { sessionId } = readLastLine(
      await bench.run(['cc', 'run', 'teach the parser to read', '--fresh'], { cwd }),
    );
    const slug = cwd.replace(/[^a-zA-Z0-9]/g, '-');
    const renamed = { type: 'custom-title', customTitle: 'The Parser', sessionId };
    appendFileSync(
      join(bench.home.config, 'projects', slug, `${sessionId}.jsonl`),
      `${JSON.stringify(renamed)}\n`,
    );
    const byTitle = await bench.run(['cc', 'run', 'look around', '--session', 'the parser'], { cwd });
    expect(byTitle).toMatchObject({ code: 0, stderr: '' });
    expect(byTitle.stdout).toContain(`Session ${sessionId} resume, `);
    expect(byTitle.stdout).toMatch(/\n> openclaw_session_list\nIt gave: .*isThisRun/);
    expect(readLastLine(byTitle)).toMatchObject({ result: 'success', sessionId });

    const other = await bench.run(['cc', 'run', 'x', '--session', sessionId, '--agent', 'ada'], { cwd });
    expect(other.code).toBe(0);
    expect(other.stderr).toBe(
      `Warning: Session ${sessionId} belongs to agent main; agent ada takes it over\n`,
    );
  });

  test('a repository that was moved takes its sessions along', LONG, async () => {
    const former = bench.makeRepo('former');
    const cwd = join(bench.home.root, 'repos', 'moved');
    const { sessionId } = readLastLine(await bench.run(['cc', 'run', 'begin', '--fresh'], { cwd: former }));
    renameSync(former, cwd);
    const ran = await bench.run(['cc', 'run', 'go on', '--session', sessionId], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe(`Warning: Session ${sessionId} belongs to ${former}, which no longer exists\n`);
    expect(ran.stdout).toContain(`Session ${sessionId} resume, `);
    // From now on it is of the new place.
    expect(await bench.run(['cc', 'run', 'go on', '--session', sessionId], { cwd })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test(
    'a model is asked which session fits, unless --words is given; none is above a --threshold of 1',
    LONG,
    async () => {
      const cwd = bench.makeRepo('chosen');
      const task = 'teach the parser to count';
      const { sessionId } = readLastLine(await bench.run(['cc', 'run', task, '--fresh'], { cwd }));
      const ranWith = async (...flags: string[]) => {
        bench.api.forget();
        const ran = await bench.run(['cc', 'run', task, ...flags], { cwd });
        expect(ran).toMatchObject({ code: 0, stderr: '' });
        const asked = bench.api.conversations.filter(({ system }) =>
          JSON.stringify(system ?? '').includes('You rate how much earlier coding sessions'),
        );
        return { stdout: ran.stdout, asked: asked.length };
      };

      // The imitation of the API rates nothing.
      const rated = await ranWith();
      expect(rated.asked).toBe(1);
      expect(rated.stdout).toMatch(/^resume: .*\nwords were compared: \S.*\nSession /);
      const compared = await ranWith('--words');
      expect(compared.asked).toBe(0);
      expect(compared.stdout).toMatch(new RegExp(`^resume: .*\\nSession ${sessionId} resume, `));
      expect((await ranWith('--threshold', '1')).stdout).toMatch(
        /^fresh: .*not above 1: .*\nSession \S+ fresh, /,
      );
    },
  );

  test('a label is gone on with; a fresh session takes it over; another label renames', LONG, async () => {
    const cwd = bench.makeRepo('labels');
    const first = await bench.run(['cc', 'run', 'begin', '--label', 'release'], { cwd });
    const { sessionId } = readLastLine(first);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^fresh: no session is labelled "release"\nSession \S+ fresh, /);

    const second = await bench.run(['cc', 'run', 'go on', '--label', 'release'], { cwd });
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toContain(`Session ${sessionId} resume, `);
    expect(readLastLine(second)).toMatchObject({
      sessionId,
      costs: expect.stringMatching(/^1 turn, \$0\.\d{4}, \$0\.\d{4} in all$/),
    });

    const third = await bench.run(['cc', 'run', 'anew', '--label', 'release', '--fresh'], { cwd });
    expect(readLastLine(third).sessionId).not.toBe(sessionId);
    expect(third.stdout).toMatch(new RegExp(`^Warning: The label "release" named session ${sessionId}`, 'm'));

    // The start of an id is enough.
    const start = sessionId.slice(0, 8);
    const fourth = await bench.run(['cc', 'run', 'go on', '--session', start, '--label', 'old', '--json'], {
      cwd,
    });
    expect(fourth).toMatchObject({ code: 0, stderr: '' });
    const events = readEvents(fourth);
    expect(events.find(({ type }) => type === 'started')).toMatchObject({ action: 'resume', sessionId });
    const fifth = await bench.run(['cc', 'run', 'go on', '--session', sessionId, '--label', 'new'], { cwd });
    expect(fifth.stdout).toMatch(/^Warning: Session \S+ was labelled "old" and is now labelled "new"$/m);
  });

  test(
    'a session that Claude Code does not know is replaced, and that is said; the start of none is refused',
    LONG,
    async () => {
      const cwd = bench.makeRepo('unknown');
      const id = '00000000-0000-4000-8000-000000000009';
      const ran = await bench.run(['cc', 'run', 'x', '--session', id], { cwd });
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toContain(`fresh: session ${id} is gone (No conversation found`);
      expect(readLastLine(ran).sessionId).not.toBe(id);

      const refused = await bench.run(['cc', 'run', 'x', '--session', 'ffffffff', '--json'], { cwd });
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(JSON.parse(refused.stderr).error).toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining("begins with 'ffffffff'"),
      });
    },
  );

  test(
    "what the repository's files say counts as in claude -p, and --isolated leaves all of it out",
    LONG,
    async () => {
      const cwd = bench.makeRepo('hooks');
      const elsewhere = await startMessagesApi({ replies: () => answer('Done.') });
      onTestFinished(() => elsewhere.close());
      mkdirSync(join(cwd, '.claude'));
      const command = 'cat > /dev/null; echo "the hook was here, with $FROM_SETTINGS"';
      const settings = {
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] },
        env: { FROM_SETTINGS: 'its settings', ANTHROPIC_BASE_URL: elsewhere.url },
      };
      writeFileSync(join(cwd, '.claude', 'settings.json'), JSON.stringify(settings));
      writeFileSync(join(cwd, 'CLAUDE.md'), 'Remember the walrus.\n');
      const mark = join(cwd, 'server-ran');
      const server = { command: 'sh', args: ['-c', `touch '${mark}'`] };
      writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { planted: server } }));
      const ranWith = async (task: string, flags: string[], input = '') => {
        for (const api of [bench.api, elsewhere]) api.forget();
        rmSync(mark, { force: true });
        const ran = await bench.run(['cc', 'run', task, '--fresh', ...flags], { cwd, input });
        expect(ran).toMatchObject({ code: 0, stderr: '' });
        const asked = JSON.stringify([bench.api.conversations, elsewhere.conversations]);
        const signs = ['the hook was here', 'with its settings', 'the walrus'];
        return [
          ...signs.map((sign) => asked.includes(sign)),
          existsSync(mark),
          elsewhere.conversations.length > 0,
        ];
      };

      // The task comes by standard input.
      expect(await ranWith('-', [], 'a long task\nof two lines\n')).toEqual([true, true, true, true, true]);
      expect(lastSaid(elsewhere.conversations[0]!)).toContain('a long task\\nof two lines"');
      expect(await ranWith('x', ['--isolated'])).toEqual([false, false, false, false, false]);
    },
  );
});

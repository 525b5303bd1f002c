/** Which session `cc run` goes on in, and what it says of that. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandBench, lastSaid, missing, readEvents, readLastLine } from '../setup/command-bench.ts';

describe.skipIf(missing !== undefined)(`the session of a run ${missing ?? ''}`, () => {
  let bench: CommandBench;
  beforeAll(async () => {
    bench = await CommandBench.open();
    bench.script({});
  });
  afterAll(() => bench?.close());

  test('a label is gone on with; a fresh session takes it over; another label renames', async () => {
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

  test('a session that Claude Code does not know is replaced, and that is said; the start of none is refused', async () => {
    const cwd = bench.makeRepo('unknown');
    const id = '00000000-0000-4000-8000-000000000009';
    const ran = await bench.run(['cc', 'run', 'x', '--session', id], { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain(`fresh: session ${id} is gone (No conversation found`);
    expect(readLastLine(ran).sessionId).not.toBe(id);

    const refused = await bench.run(['cc', 'run', 'x', '--session', 'ffffffff', '--json'], { cwd });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining("begins with 'ffffffff'"),
    });
  });

  test("the repository's hooks and instructions count as in Claude Code itself, and --isolated leaves them out", async () => {
    const cwd = bench.makeRepo('hooks');
    mkdirSync(join(cwd, '.claude'));
    const command = 'cat > /dev/null; echo "the hook was here"';
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command }] }] };
    writeFileSync(join(cwd, '.claude', 'settings.json'), JSON.stringify({ hooks }));
    writeFileSync(join(cwd, 'CLAUDE.md'), 'Remember the walrus.\n');
    bench.api.forget();
    // The task comes by standard input.
    const task = 'a long task\nof two lines\n';
    const ran = await bench.run(['cc', 'run', '-', '--fresh'], { cwd, input: task });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const isThere = () => {
      const asked = JSON.stringify(bench.api.conversations);
      return [asked.includes('the hook was here'), asked.includes('the walrus')];
    };
    expect(isThere()).toEqual([true, true]);
    expect(lastSaid(bench.api.conversations[0]!)).toContain('a long task\\nof two lines"');
    bench.api.forget();
    expect(await bench.run(['cc', 'run', 'x', '--fresh', '--isolated'], { cwd })).toMatchObject({ code: 0 });
    expect(isThere()).toEqual([false, false]);
  });
});

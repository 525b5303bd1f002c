/** Coding runs of a conversation, with the real Claude Code on the imitation of the API. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HUNT, LONG } from '../../../../test/setup/hunt.ts';
import { MAIN, textsOf } from '../bot/bot-home.ts';
import { answer, endless, missing, readPid, use } from '../setup/command-bench.ts';
import { CodingBench } from './coding-bench.ts';

describe.skipIf(missing !== undefined)(`coding runs of a conversation ${missing ?? ''}`, () => {
  let bench: CodingBench;
  beforeEach(async () => {
    bench = await CodingBench.open();
  });
  afterEach(() => bench.close());

  const start = (task: string, more: object = {}) => ({
    tool: 'claude_code',
    args: { task, repo: bench.repo, ...more },
  });

  test('a run answers the person, who goes on by tool, by reply and by command', HUNT, async () => {
    bench.script({
      'fix the login': () => answer('The login works.'),
      'fix the docs': () => answer('The docs are right.'),
      'add a test': () => answer('There is a test.'),
      'raise the version': () => answer('It is 2.0.'),
    });
    bench.bot.on('please', start('fix the login', { label: 'login' }));
    const bot = await bench.open();
    await bench.bot.chat.write('ada', 'please');
    await bench.shows(/^ada: Coding run \w+ \(login\) answers:\nThe login works\.\n\(\$\d/);
    const id = bench.lastId();
    expect(bench.recordOf(id)).toMatchObject({ id, sessionKey: MAIN, label: 'login', repoPath: bench.repo });

    bench.bot.on('tell it', { tool: 'claude_code_send', args: { id, text: 'fix the docs' } });
    await bench.bot.chat.write('ada', 'tell it');
    await bench.shows(/answers:\nThe docs are right\./);
    expect(bench.bot.prompts.at(-1)).toContain(`Coding run ${id} in ${bench.repo}. The person was told:`);

    await bot.idle();
    const turns = bench.bot.turnsOf().length;
    const ctx = { ReplyToId: bench.idOf(/The docs are right/) };
    await bench.bot.chat.write('ada', 'add a test', { id: 'reply-1', ctx });
    await bench.shows(/answers:\nThere is a test\./);
    // The reply is for the run, and begins no turn.
    expect(bench.bot.turnsOf()).toHaveLength(turns);

    const sent = await bench.run(['cc', 'send', id, 'raise the version']);
    expect(sent).toMatchObject({ code: 0, stdout: `The coding run ${id} has it.\n`, stderr: '' });
    await bench.shows(/answers:\nIt is 2\.0\./);

    await bot.close();
    expect(bench.recordOf(id)).toMatchObject({ result: 'success' });
    expect(bench.bot.chat.shown.filter((line) => line.includes('has ended'))).toEqual([]);
    const late = await bench.run(['cc', 'send', id, 'more']);
    expect(late.code).not.toBe(0);
    expect(late.stderr).toContain(`The coding run ${id} takes no follow-up: The run has ended`);
    // One session of Claude Code had all of it.
    const { sessionId } = bench.recordOf(id);
    expect(sessionId).toBeDefined();
  });

  test(
    'messages reach the person, and what no rule allows is asked: a no is told to Claude Code',
    HUNT,
    async () => {
      bench.script({
        'say half': () => use('mcp__openbot__openclaw_send_message', { text: 'Half is done.' }),
        'touch it': () => use('Bash', { command: 'touch made' }),
      });
      bench.bot.on('half', start('say half')).on('touch', start('touch it'));
      await bench.open({ idleMinutes: 0 });
      await bench.bot.chat.write('ada', 'half');
      await bench.shows(/^ada: Half is done\.$/);
      await bench.ended(bench.lastId());
      await bench.bot.chat.write('ada', 'touch');
      await bench.bot.chat.write('ada', `no ${await bench.questionId()}`);
      await bench.shows(/The person said no\./);
      expect(existsSync(join(bench.repo, 'made'))).toBe(false);
    },
  );

  test('a person who can be asked decides', LONG, async () => {
    bench.script({ 'touch it': () => use('Bash', { command: 'touch made' }) });
    bench.bot.on('touch', start('touch it'));
    await bench.open({ idleMinutes: 0 });
    await bench.bot.chat.write('ada', 'touch');
    await bench.bot.chat.write('ada', `yes ${await bench.questionId()}`);
    await bench.shows(/answers:/);
    expect(existsSync(join(bench.repo, 'made'))).toBe(true);
  });

  test('what the agent is denied, its runs are, whatever allows it to them', LONG, async () => {
    writeFileSync(join(bench.repo, '.env'), 'SECRET');
    bench.script({
      'touch it': () => use('Bash', { command: 'touch made' }),
      'read it': () => use('Read', { file_path: join(bench.repo, '.env') }),
    });
    for (const task of ['touch it', 'read it']) bench.bot.on(task, start(task));
    const config = { agents: { defaults: { permissions: { deny: ['Read(.env)', 'Bash(touch:*)'] } } } };
    const bot = await bench.openCommand({ allowedTools: ['Bash', 'Read'] }, { config });
    const ask = async (message: string) => textsOf(await bot.say({ message }))[0]!;
    expect(await ask('touch it')).toContain('The rule Bash(touch:*) forbids it');
    expect(existsSync(join(bench.repo, 'made'))).toBe(false);
    expect(await ask('read it')).toContain('denied by your permission settings');
  });

  test('a command waits for its run', LONG, async () => {
    writeFileSync(join(bench.repo, 'CLAUDE.md'), 'The word is plum-tree.');
    bench.script({ 'fix it': () => answer('It is fixed.') });
    bench.bot.on('please', start('fix it'));
    const bot = await bench.openCommand();
    const [text] = textsOf(await bot.say({ message: 'please' }));
    expect(JSON.parse(text!)).toMatchObject({ status: 'success', answer: 'It is fixed.', messages: [] });
    // The runs of these tests are isolated.
    expect(JSON.stringify(bench.api.conversations)).not.toContain('plum-tree');
  });

  test('a run that is at work ends with the bot, and the person is told', LONG, async () => {
    bench.script({ 'work on': () => endless() });
    bench.bot.on('please', start('work on'));
    const bot = await bench.open({ allowedTools: ['Bash'] });
    await bench.bot.chat.write('ada', 'please');
    await readPid(bench.repo);
    const id = bench.lastId();
    await bot.close();
    expect(bench.recordOf(id)).toMatchObject({ result: 'aborted' });
    bench.bot.chat = bench.bot.chat.again();
    await bench.open();
    await bench.shows(new RegExp(`^ada: Coding run ${id} has ended: it was aborted\\.$`));
  });

  test('a session that fits is continued by the next run', LONG, async () => {
    bench.script({ 'first part': () => answer('One.'), 'second part': () => answer('Two.') });
    bench.bot
      .on('begin', start('first part', { label: 'parts' }))
      .on('go on', start('second part', { label: 'parts' }));
    await bench.open({ idleMinutes: 0 });
    await bench.bot.chat.write('ada', 'begin');
    await bench.shows(/answers:\nOne\./);
    const first = await bench.ended(bench.lastId());
    await bench.bot.chat.write('ada', 'go on');
    await bench.shows(/answers:\nTwo\./);
    const second = await bench.ended(bench.lastId());
    expect(second.id).not.toBe(first.id);
    expect(second.sessionId).toBe(first.sessionId);
  });
});

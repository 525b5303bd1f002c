import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HUNT, isTorture, sample } from '../../../../test/setup/hunt.ts';
import { beforePathCalls } from '../../../sessions/test/setup/node-faults.ts';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import { FILE_TOOLS } from '../../src/tools/all.ts';
import type { Tool } from '../../src/tools/contract.ts';
import { makeExec } from '../../src/tools/exec/exec.ts';
import { openRunTools } from '../../src/tools/run-tools.ts';

let folder: string;
let workspaceDir: string;
beforeEach(() => {
  folder = makeTempFolder();
  workspaceDir = join(folder, 'workspace');
  mkdirSync(join(workspaceDir, 'notes'), { recursive: true });
  writeFileSync(join(workspaceDir, 'notes/a.txt'), 'one\ntwo\nthree\n');
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside/secret.txt'), 'SECRET');
});

const EXEC = makeExec({}, { PATH: process.env.PATH });
const callIn = (
  places: Parameters<typeof openRunTools>[1],
  name: string,
  args: unknown,
  { allowed, signal = new AbortController().signal }: { allowed?: string[]; signal?: AbortSignal } = {},
) =>
  openRunTools([...FILE_TOOLS, EXEC], places, allowed).run({ id: 'call-1', name, arguments: args }, signal);
const run = (name: string, args: unknown, signal?: AbortSignal) =>
  callIn({ workspaceDir }, name, args, { signal });
const inside = (path: string) => join(workspaceDir, path);

describe('list_files', () => {
  it('lists names, folders with a slash', async () => {
    writeFileSync(inside('b.md'), '');
    await expect(run('list_files', {})).resolves.toEqual({ text: 'b.md\nnotes/', isError: false });
    await expect(run('list_files', { path: 'notes' })).resolves.toMatchObject({ text: 'a.txt' });
    await expect(run('list_files', { recursive: true })).resolves.toMatchObject({
      text: 'b.md\nnotes/\nnotes/a.txt',
    });
  });

  it('does not enter links, .git and node_modules', async () => {
    symlinkSync(join(folder, 'outside'), inside('link'));
    mkdirSync(inside('node_modules/x'), { recursive: true });
    const { text } = await run('list_files', { recursive: true });
    expect(text).toBe('link\nnode_modules/\nnotes/\nnotes/a.txt');
    await expect(run('list_files', { path: 'link' })).resolves.toMatchObject({ isError: true });
  });

  it('shows at most 1,000 names and says how many there are', async () => {
    mkdirSync(inside('many'));
    for (let n = 0; n < 1003; n++) writeFileSync(inside(`many/${n}`), '');
    const { text } = await run('list_files', { path: 'many' });
    expect(text.split('\n')).toHaveLength(1001);
    expect(text).toContain('[3 more are not shown.');
  });

  it('says that a workspace is empty or not there', async () => {
    mkdirSync(inside('empty'));
    await expect(run('list_files', { path: 'empty' })).resolves.toMatchObject({ text: '(no files)' });
    await expect(callIn({ workspaceDir: join(folder, 'none') }, 'list_files', {})).resolves.toMatchObject({
      text: 'The workspace has no files yet.',
    });
  });
});

describe('read_file', () => {
  it('reads a file, or some of its lines', async () => {
    await expect(run('read_file', { path: 'notes/a.txt' })).resolves.toMatchObject({
      text: 'one\ntwo\nthree',
    });
    await expect(run('read_file', { path: inside('notes/a.txt'), offset: 2, limit: 1 })).resolves.toEqual({
      text: 'two\n[Lines 2 to 2 of 3. To read on: offset 3.]',
      isError: false,
    });
    await expect(run('read_file', { path: 'notes/a.txt', offset: 9 })).resolves.toMatchObject({
      text: 'The file has 3 lines, fewer than 9.',
    });
  });

  it('shows 50,000 characters of a long file and splits no character', async () => {
    writeFileSync(inside('long'), `x${'😀'.repeat(40_000)}`);
    const { text } = await run('read_file', { path: 'long' });
    expect(text.length).toBeLessThan(50_100);
    expect(text.isWellFormed()).toBe(true);
    writeFileSync(inside('lines'), 'y'.repeat(999).concat('\n').repeat(100));
    await expect(run('read_file', { path: 'lines' })).resolves.toMatchObject({
      text: expect.stringContaining('[Lines 1 to 50 of 100. To read on: offset 51.]'),
    });
  });

  it('follows a link that stays inside', async () => {
    symlinkSync('notes/a.txt', inside('link.txt'));
    await expect(run('read_file', { path: 'link.txt' })).resolves.toMatchObject({ isError: false });
  });

  it.each([
    ['a missing file', 'none.txt', /There is no file/],
    ['a folder', 'notes', /is a folder/],
    ['a pipe', 'pipe', /not a regular file/],
    ['a device behind a link', 'null', /outside/],
    ['binary content', 'binary', /not a text file/],
    ['a file above the limit', 'large', /too large/],
  ])('refuses %s', async (_what, path, message) => {
    execFileSync('mkfifo', [inside('pipe')]);
    symlinkSync('/dev/null', inside('null'));
    writeFileSync(inside('binary'), Buffer.from([1, 0, 2]));
    writeFileSync(inside('large'), Buffer.alloc(10 * 1024 * 1024 + 1, 0x61));
    const result = await run('read_file', { path });
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(message);
  });
});

describe('write_file', () => {
  it('writes a file and makes its folders', async () => {
    const result = await run('write_file', { path: 'deep/er/new.txt', content: 'hello' });
    expect(result).toEqual({ text: 'Wrote 5 bytes to deep/er/new.txt.', isError: false });
    expect(readFileSync(inside('deep/er/new.txt'), 'utf8')).toBe('hello');
    expect(readdirSync(inside('deep/er'))).toEqual(['new.txt']);
  });

  it('replaces the content and keeps the rights of a file', async () => {
    chmodSync(inside('notes/a.txt'), 0o755);
    await expect(run('write_file', { path: 'notes/a.txt', content: 'new' })).resolves.toMatchObject({
      text: 'Wrote 3 bytes to notes/a.txt, in the place of its old content.',
    });
    expect(statSync(inside('notes/a.txt')).mode & 0o777).toBe(0o755);
  });

  it('makes the workspace itself', async () => {
    const place = { workspaceDir: join(folder, 'fresh/ws') };
    await expect(callIn(place, 'write_file', { path: 'a', content: '' })).resolves.toMatchObject({
      isError: false,
    });
    expect(existsSync(join(folder, 'fresh/ws/a'))).toBe(true);
  });

  it('writes the file that a link inside means', async () => {
    symlinkSync('notes/a.txt', inside('link.txt'));
    await run('write_file', { path: 'link.txt', content: 'by link' });
    expect(readFileSync(inside('notes/a.txt'), 'utf8')).toBe('by link');
  });

  it.each([
    ['the workspace', '.', /not the name of a file/],
    ['a folder', 'notes', /is a folder/],
    ['a pipe', 'pipe', /not a regular file/],
    ['a file in the place of a folder', 'notes/a.txt/b', /not a folder/],
  ])('refuses %s', async (_what, path, message) => {
    execFileSync('mkfifo', [inside('pipe')]);
    const result = await run('write_file', { path, content: 'x' });
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(message);
  });

  it('refuses more than 5 MB', async () => {
    const result = await run('write_file', { path: 'big', content: 'x'.repeat(5 * 1024 * 1024 + 1) });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('too large') });
    expect(existsSync(inside('big'))).toBe(false);
  });
});

describe('every tool stays inside the workspace', () => {
  const hostile = (): [string, string][] => [
    ['..', '../outside/secret.txt'],
    ['.. in the middle', 'notes/../../outside/secret.txt'],
    ['.. with backslashes', 'notes\\..\\..\\outside\\secret.txt'],
    ['an absolute path', join(folder, 'outside/secret.txt')],
    ['a path that begins like the workspace', `${workspaceDir}-other/x`],
    ['NUL', 'notes/a.txt\0.png'],
    ['a link to a file outside', 'out-file'],
    ['a link to a folder outside', 'out-folder/secret.txt'],
    ['a new file behind a link to a folder outside', 'out-folder/new.txt'],
    ['a link to nothing outside', 'dangling'],
    ['a long name', 'x'.repeat(300)],
  ];
  /** Arguments of all tools beside the path. */
  const ANYTHING = { content: 'changed', pattern: 'S', oldText: 'SECRET', newText: 'changed' };
  it.each(FILE_TOOLS.map(({ name }) => name))('%s', async (name) => {
    symlinkSync(join(folder, 'outside/secret.txt'), inside('out-file'));
    symlinkSync(join(folder, 'outside'), inside('out-folder'));
    symlinkSync(join(folder, 'outside/none.txt'), inside('dangling'));
    for (const [what, path] of hostile()) {
      const result = await run(name, { path, ...ANYTHING });
      expect({ what, ...result }).toMatchObject({ what, isError: true });
      expect(result.text).not.toContain('SECRET');
    }
    expect(readdirSync(folder).sort()).toEqual(['outside', 'workspace']);
    expect(readdirSync(join(folder, 'outside'))).toEqual(['secret.txt']);
    expect(readFileSync(join(folder, 'outside/secret.txt'), 'utf8')).toBe('SECRET');
  });

  /** Whether the folder is the link at each call: all courses in which that changes at most twice, or three times. */
  function* listCourses(calls: number): Generator<readonly number[]> {
    yield [];
    for (let a = 0; a < calls; a++) {
      yield [a];
      for (let b = a + 1; b < calls; b++) {
        yield [a, b];
        if (isTorture) for (let c = b + 1; c < calls; c++) yield [a, b, c];
      }
    }
  }

  it.runIf(process.platform === 'linux').each([
    ['read_file', { path: 'notes/secret.txt' }],
    ['list_files', { path: 'notes' }],
    ['list_files', { recursive: true }],
    ['write_file', { path: 'notes/secret.txt', content: 'changed' }],
    ['write_file', { path: 'notes/new.txt', content: 'x' }],
    ['write_file', { path: 'notes/deep/new.txt', content: 'x' }],
    ['read_file', { path: 'notes/sub/secret.txt' }],
    ['list_files', { path: 'notes/sub' }],
    ['write_file', { path: 'notes/sub/new.txt', content: 'x' }],
    ['edit_file', { path: 'notes/secret.txt', oldText: 'S', newText: 'x' }],
    ['edit_file', { path: 'notes/sub/secret.txt', oldText: 'harmless', newText: 'harmless too' }],
    ['grep', { pattern: '[A-Z]' }],
    ['exec', { command: 'cat *', workdir: 'notes' }],
    ['exec', { command: 'ls; echo x > new.txt', workdir: 'notes/sub' }],
    ['grep', { pattern: '[A-Z]', path: 'notes/secret.txt' }],
  ])('also when a folder on the way becomes a link at any moment: %s %j', HUNT, async (name, args) => {
    mkdirSync(join(folder, 'outside/sub'));
    mkdirSync(inside('notes/sub'));
    for (const name of ['only-outside.txt', 'sub/only-outside.txt', 'sub/secret.txt'])
      writeFileSync(join(folder, 'outside', name), 'SECRET');
    writeFileSync(inside('notes/sub/secret.txt'), 'harmless');
    writeFileSync(inside('notes/secret.txt'), 'harmless');
    symlinkSync(join(folder, 'outside'), inside('evil'));
    let isLink = false;
    const exchange = () => {
      renameSync(inside('notes'), inside('aside'));
      renameSync(inside('evil'), inside('notes'));
      renameSync(inside('aside'), inside('evil'));
      isLink = !isLink;
    };
    const before = readdirSync(join(folder, 'outside'), { recursive: true });
    const count = await beforePathCalls(
      () => {},
      () => run(name, args),
    );
    for (const course of sample([...listCourses(count)], { gate: 8 })) {
      let text = '';
      const act = async () => {
        ({ text } = await run(name, args));
      };
      await beforePathCalls((call) => course.includes(call) && exchange(), act);
      if (isLink) exchange();
      const outside = {
        names: readdirSync(join(folder, 'outside'), { recursive: true }),
        secret: readFileSync(join(folder, 'outside/secret.txt'), 'utf8'),
      };
      expect({ course, text, outside }).toEqual({
        course,
        text: expect.not.stringMatching(/SECRET|only-outside/),
        outside: { names: before, secret: 'SECRET' },
      });
    }
  });
});

describe('openRunTools', () => {
  it.each([
    ['no object', 'read_file', 'x', 'The arguments must be a JSON object.'],
    ['a missing argument', 'read_file', {}, 'The argument path is missing.'],
    ['a wrong type', 'read_file', { path: 3 }, 'The argument path must be of type string.'],
    [
      'a number below the least',
      'read_file',
      { path: 'a', offset: 0 },
      'The argument offset must be at least 1.',
    ],
    [
      'an unknown tool',
      'rm',
      {},
      'There is no tool "rm". There are: list_files, read_file, grep, write_file, edit_file, exec.',
    ],
  ])('answers %s with an error', async (_what, name, args, text) => {
    await expect(run(name, args)).resolves.toEqual({ text, isError: true });
  });

  it('refuses a tool that the session may not use', async () => {
    const args = { path: 'x', content: 'x' };
    await expect(callIn({ workspaceDir }, 'write_file', args, { allowed: ['read_file'] })).resolves.toEqual({
      text: 'The tool write_file must not be used in this session. There are: read_file.',
      isError: true,
    });
    expect(existsSync(inside('x'))).toBe(false);
  });

  it('checks choices and lists, and passes on what a tool sent', async () => {
    const tool: Tool = {
      name: 'tell',
      description: 'Tells.',
      parameters: {
        type: 'object',
        properties: {
          how: { type: 'string', description: 'How.', enum: ['loud', 'low'] },
          who: { type: 'array', description: 'Whom.', items: { type: 'string' } },
        },
        required: [],
      },
      changes: false,
      run: async ({ how, who }, { callId }) => ({ text: `${callId} ${how} ${who}`, sent: { text: 'hello' } }),
    };
    const tools = openRunTools([tool], { workspaceDir });
    const tell = (args: unknown) =>
      tools.run({ id: 'c7', name: 'tell', arguments: args }, new AbortController().signal);
    await expect(tell({ how: 'loud', who: ['a', 'b'] })).resolves.toEqual({
      text: 'c7 loud a,b',
      isError: false,
      sent: { text: 'hello' },
    });
    await expect(tell({ how: 'mute' })).resolves.toMatchObject({
      text: 'The argument how must be one of loud, low.',
    });
    await expect(tell({ who: ['a', 3] })).resolves.toMatchObject({
      text: 'The argument who must be a list of type string.',
    });
  });

  it('does nothing after an abort', async () => {
    const result = await run('write_file', { path: 'x', content: 'x' }, AbortSignal.abort());
    expect(result).toEqual({ text: 'The run was aborted before this tool ran.', isError: true });
    expect(existsSync(inside('x'))).toBe(false);
  });
});

describe('folders that can only be read', () => {
  const use = (name: string, args: unknown) =>
    callIn({ workspaceDir, readableDirs: [join(folder, 'skills')] }, name, args);
  beforeEach(() => {
    mkdirSync(join(folder, 'skills/mail'), { recursive: true });
    writeFileSync(join(folder, 'skills/mail/SKILL.md'), 'how to mail');
  });

  it('are read and listed by their absolute paths', async () => {
    const read = await use('read_file', { path: join(folder, 'skills/mail/SKILL.md') });
    expect(read).toEqual({ text: 'how to mail', isError: false });
    const listed = await use('list_files', { path: join(folder, 'skills/mail') });
    expect(listed).toEqual({ text: 'SKILL.md', isError: false });
  });

  it('are not written to', async () => {
    const path = join(folder, 'skills/mail/SKILL.md');
    await expect(use('write_file', { path, content: 'other' })).resolves.toMatchObject({ isError: true });
    expect(readFileSync(path, 'utf8')).toBe('how to mail');
  });

  it('do not lead out', async () => {
    symlinkSync(join(folder, 'outside'), join(folder, 'skills/link'));
    for (const path of ['skills/link/secret.txt', 'outside/secret.txt', 'skills/../outside/secret.txt']) {
      const result = await use('read_file', { path: `${folder}/${path}` });
      expect(result.isError).toBe(true);
      expect(result.text).not.toContain('SECRET');
    }
  });
});

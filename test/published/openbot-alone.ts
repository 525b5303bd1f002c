/** openbot as it would be installed, but without anything beside it. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** @param published the folder of the package as npm would install it */
export function testOpenbotAlone(published: () => string): void {
  let folder: string;
  let installed: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'openbot-package-')));
    installed = join(folder, 'node_modules', 'openbot');
    cpSync(published(), installed, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{}');
    mkdirSync(join(folder, 'project'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function openbot(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(installed, 'bin', 'openbot.js'), ...args],
      {
        cwd: join(folder, 'project'),
        env: { PATH: process.env.PATH, HOME: folder },
        encoding: 'utf8',
        input: '',
      },
    );
    return { status, stdout, stderr };
  }

  test('it has the launcher, the bundles and the library, and not what is in the bundles', () => {
    for (const path of ['bin/openbot.js', 'dist/bin/talk.cjs', 'src/index.ts', 'LICENSE', 'README.md']) {
      expect([path, existsSync(join(installed, path))]).toEqual([path, true]);
    }
    for (const part of ['dist', 'src']) {
      expect(readdirSync(join(installed, part)).filter((name) => /^(cli|commands)$/.test(name))).toEqual([]);
    }
  });

  test.each([
    [['--help'], /^Usage:\n {2}openbot/m],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['cc', 'list', '--all'], /^No Claude Code sessions/],
    [['cc', 'status'], /project/],
    [['cc', 'select', 'x', '--words'], /^fresh: /],
  ])('it runs by itself: %j', (args, text) => {
    expect(openbot(...args)).toEqual({ status: 0, stdout: expect.stringMatching(text), stderr: '' });
  });

  test.each([
    [['cc', 'run', 'x'], '@anthropic-ai/claude-agent-sdk'],
    [['mcp'], '@modelcontextprotocol/sdk'],
  ])('%j says which package is missing, and where it belongs', (args, name) => {
    const { status, stdout, stderr } = openbot(...args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Error: the package \S+.* is not installed\n/);
    expect(stderr).toContain(`\n  npm install --prefix ${folder} ${name}\n`);
  });
}

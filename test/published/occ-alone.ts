/** oc-context-cleaner alone: no workspace around it, no dependency installed. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanEnvironment } from '../../packages/occ/test/setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../../packages/occ/test/setup/sessions.ts';

/** @param published the folder of the package as npm would install it */
export function testOccAlone(published: () => string): void {
  let folder: string;
  let unpacked: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'occ-package-'));
    unpacked = join(folder, 'package');
    cpSync(published(), unpacked, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const occ = (...args: string[]): string =>
    execFileSync(process.execPath, [join(unpacked, 'bin', 'occ.js'), ...args], {
      cwd: folder,
      env: cleanEnvironment(),
      encoding: 'utf8',
    });

  it('has the launcher, the bundles, the sources, the skill and nothing of the build', () => {
    for (const path of [
      'bin/occ.js',
      'dist/bin/occ.js',
      'dist/bin/start.cjs',
      'dist/bin/commands.cjs',
      'src/index.ts',
      'LICENSE',
      'README.md',
    ]) {
      expect([path, existsSync(join(unpacked, path))]).toEqual([path, true]);
    }
    expect(existsSync(join(unpacked, 'skills', 'occ', 'SKILL.md'))).toBe(true);
    expect(readdirSync(unpacked).sort()).toEqual(
      ['LICENSE', 'README.md', 'bin', 'dist', 'package.json', 'skills', 'src'].sort(),
    );
  });

  it('leaves out what only the bundles use', () => {
    for (const folder of ['dist', 'src']) {
      const names = readdirSync(join(unpacked, folder));
      expect(names).toEqual(expect.arrayContaining(['clean', 'config', 'operations', 'rewrite', 'storage']));
      expect(names.filter((name) => /^(cli|commands|demo|report)$/.test(name))).toEqual([]);
    }
  });

  it('the library needs nothing that was left out', () => {
    const files = readdirSync(join(unpacked, 'dist'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(js|d\.ts)$/.test(name) && !name.startsWith('bin'),
    );
    expect(files.length).toBeGreaterThan(50);
    const missing = files.flatMap((name) => {
      const path = join(unpacked, 'dist', name);
      const text = readFileSync(path, 'utf8');
      return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
        .map(([, target]) => join(dirname(path), target!))
        .filter((target) => !existsSync(target) && !existsSync(target.replace(/\.ts$/, '.d.ts')));
    });
    expect(missing).toEqual([]);
  });

  it('its README links to nothing outside of it', () => {
    const text = readFileSync(join(unpacked, 'README.md'), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link!);
    expect(links).toContain('skills/occ/SKILL.md');
    expect(links.filter((link) => !/^https:/.test(link) && !existsSync(join(unpacked, link)))).toEqual([]);
  });

  it('runs by itself: every command, with the sessions library inside', () => {
    const stateDir = join(folder, 'state');
    writeSession(stateDir, 'main', 'abc123', createSessionWithTurns(30, 1, { resultLength: 500 }));
    expect(occ('--help')).toContain('Usage:');
    expect(JSON.parse(occ('list', '--json', '--state-dir', stateDir))).toHaveLength(1);
    expect(JSON.parse(occ('info', 'abc', '--json', '--state-dir', stateDir)).turns.total).toBe(30);
    expect(JSON.parse(occ('edit', 'abc', '--strip-tools', '--json', '--state-dir', stateDir)).changed).toBe(
      true,
    );
    expect(JSON.parse(occ('restore', 'abc', '--json', '--state-dir', stateDir)).success).toBe(true);
    expect(JSON.parse(occ('clone', 'abc', '--json', '--state-dir', stateDir)).success).toBe(true);
    expect(occ('demo')).toContain('occ restore');
  });
}

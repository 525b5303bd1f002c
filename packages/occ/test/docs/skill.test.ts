import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommandLines, parseCommandLine } from './command-lines.ts';

const PACKAGE = join(import.meta.dirname, '../..');
const skill = readFileSync(join(PACKAGE, 'skills/occ/SKILL.md'), 'utf8');
const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  name: string;
  bin: Record<string, string>;
  files: string[];
};
const [, frontmatter] = /^---\n([\s\S]*?)\n---\n/.exec(skill)!;
const fields = new Map(
  frontmatter!.split('\n').map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  }),
);

describe('the skill', () => {
  it('is found by agents: a name like its folder, and a description that says when', () => {
    expect(fields.get('name')).toBe('occ');
    const description = fields.get('description')!;
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(description).toMatch(/Use when/);
    // A colon would make the line another YAML value; brackets are taken for markup by some agents.
    expect(description).not.toMatch(/: |[<>]/);
  });

  it('asks OpenClaw for the program that this package brings', () => {
    const { openclaw } = JSON.parse(fields.get('metadata')!);
    expect(openclaw.requires.bins).toEqual(Object.keys(manifest.bin));
    // Not before it is published: OpenClaw would install whatever has that name on npm.
    expect(openclaw.install).toBeUndefined();
  });

  it('is published, and is where a repository has its skills', () => {
    expect(manifest.files).toContain('skills');
    expect(readFileSync(join(PACKAGE, '../../skills/occ/SKILL.md'), 'utf8')).toBe(skill);
  });

  it('is short enough to be read in full', () => {
    expect(skill.split('\n').length).toBeLessThan(150);
  });

  it.each([...new Set(findCommandLines(skill))])('%s is a command that occ takes', (line) => {
    expect(() => parseCommandLine(line)).not.toThrow();
  });

  it('shows each step of the work', () => {
    const lines = findCommandLines(skill);
    for (const line of [
      'occ info',
      'occ edit --strip-tools --dry-run',
      'occ edit --strip-tools',
      'occ restore',
    ]) {
      expect(lines).toContain(line);
    }
  });
});

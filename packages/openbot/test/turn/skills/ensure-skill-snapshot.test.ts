import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeSkillFolders } from './skill-folders.ts';

describe('where skills are found', () => {
  test('of one name, the workspace counts most, then the state folder, extra folders, bundled ones', async () => {
    const folders = makeSkillFolders();
    const places = ['bundled', 'extra', 'state/skills', 'workspace/skills'];
    for (const place of places) {
      folders.skill(`${place}/one`, `name: one\ndescription: From ${place}.`);
      const { skillsSnapshot } = await folders.ensure();
      expect(skillsSnapshot.prompt).toContain(`>From ${place}.<`);
      expect(skillsSnapshot.skills).toEqual([{ name: 'one' }]);
    }
  });

  test('without any folder there is an empty list and no prompt', async () => {
    const folders = makeSkillFolders();
    const { skillsSnapshot, problems } = await folders.ensure();
    expect(skillsSnapshot).toMatchObject({ prompt: '', skills: [] });
    expect(problems).toEqual([]);
  });

  test('the skill of the context cleaner is installed with the program', async () => {
    const folders = makeSkillFolders();
    folders.file('bin/occ', '#!/bin/sh\n');
    const request = { bundledDir: undefined, platform: 'linux' as const };
    expect(await folders.names({ ...request, env: {} })).toEqual([]);
    await import('node:fs/promises').then(({ chmod }) => chmod(join(folders.root, 'bin/occ'), 0o755));
    expect(await folders.names({ ...request, env: { PATH: join(folders.root, 'bin') } })).toEqual(['occ']);
  });

  test('files in the workspace are named relative to it, others by their path', async () => {
    const folders = makeSkillFolders();
    folders.skill('workspace/skills/a', 'name: a\ndescription: Own.');
    const file = folders.skill('state/skills/b', 'name: b\ndescription: Shared.');
    const { prompt } = (await folders.ensure()).skillsSnapshot;
    expect(prompt).toContain('<skill name="a" file="skills/a/SKILL.md">Own.</skill>');
    expect(prompt).toContain(`<skill name="b" file="${file}">Shared.</skill>`);
  });

  test('the filter of an agent, and the list of bundled skills, choose by name', async () => {
    const folders = makeSkillFolders();
    for (const name of ['a', 'b']) folders.skill(`workspace/skills/${name}`, `name: ${name}\ndescription: x`);
    for (const name of ['c', 'd']) folders.skill(`bundled/${name}`, `name: ${name}\ndescription: x`);
    expect(await folders.names()).toEqual(['a', 'b', 'c', 'd']);
    expect(await folders.names({ skillFilter: ['B', 'd', 'missing'] })).toEqual(['b', 'd']);
    expect(await folders.names({ skillFilter: [] })).toEqual([]);
    expect(await folders.names({ config: { skills: { allowBundled: ['d'] } } })).toEqual(['a', 'b', 'd']);
  });

  test('a skill for people only is known but not offered to the model', async () => {
    const folders = makeSkillFolders();
    folders.skill('workspace/skills/a', 'name: a\ndescription: x\ndisable-model-invocation: true');
    const { skillsSnapshot } = await folders.ensure();
    expect(skillsSnapshot).toMatchObject({ prompt: '', skills: [{ name: 'a' }] });
  });
});

describe('what is broken is reported and skipped', () => {
  const broken: [what: string, text: string | Buffer, reason: RegExp][] = [
    ['no frontmatter', '# Title\n', /does not begin with frontmatter/],
    ['no end of it', '---\nname: a\ndescription: b\n', /no end/],
    ['no description', '---\nname: a\n---\n', /no description/],
    ['YAML that is none', '---\nname: a\ndescription:\n  - [\n---\n', /not YAML/],
    ['a list', '---\n- a\n---\n', /no names and values/],
    ['metadata that is none', '---\ndescription: x\nmetadata: nonsense\n---\n', /metadata/],
    ['an endless name', `---\nname: ${'n'.repeat(70)}\ndescription: x\n---\n`, /70 characters/],
    ['a huge file', `---\ndescription: x\n---\n${'x'.repeat(300_000)}`, /more than 262144/],
    ['a huge frontmatter', `---\n${'a: b\n'.repeat(10_000)}---\n`, /more than 32000 characters/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0, 1, 2]), /does not begin with frontmatter/],
    ['nothing', '', /does not begin with frontmatter/],
  ];
  test.each(broken)('%s', async (_, text, reason) => {
    const folders = makeSkillFolders();
    const path = folders.file('workspace/skills/broken/SKILL.md', text);
    folders.skill('workspace/skills/good', 'name: good\ndescription: x');
    const { skillsSnapshot, problems } = await folders.ensure();
    expect(problems).toEqual([{ path, reason: expect.stringMatching(reason) }]);
    expect(skillsSnapshot.skills).toEqual([{ name: 'good' }]);
    // Once: the next session of the same process does not hear of it again.
    expect((await folders.ensure()).problems).toEqual([]);
  });

  test('links out of the folder are refused, links inside it are followed', async () => {
    const folders = makeSkillFolders();
    folders.skill('elsewhere/a', 'name: outside\ndescription: x');
    folders.skill('workspace/skills/b', 'name: inside\ndescription: x');
    const skills = join(folders.workspaceDir, 'skills');
    symlinkSync(join(folders.root, 'elsewhere/a'), join(skills, 'dir-out'));
    mkdirSync(join(skills, 'file-out'));
    symlinkSync(join(folders.root, 'elsewhere/a/SKILL.md'), join(skills, 'file-out/SKILL.md'));
    symlinkSync('loop', join(skills, 'loop'));
    symlinkSync('nowhere', join(skills, 'dangling'));
    const { skillsSnapshot, problems } = await folders.ensure();
    expect(skillsSnapshot.skills).toEqual([{ name: 'inside' }]);
    expect(problems.map(({ path }) => path).sort()).toEqual([
      join(skills, 'dir-out/SKILL.md'),
      join(skills, 'file-out/SKILL.md'),
      join(skills, 'loop/SKILL.md'),
    ]);
  });

  test('a directory, a device or a file in the way of a folder', async () => {
    const folders = makeSkillFolders();
    folders.file('workspace/skills', 'no folder');
    mkdirSync(join(folders.stateDir, 'skills/a/SKILL.md'), { recursive: true });
    const { problems } = await folders.ensure();
    expect(problems).toEqual([
      { path: join(folders.stateDir, 'skills/a/SKILL.md'), reason: 'it is not a file' },
    ]);
  });

  test('two of one name in one folder: the first counts, the other is reported', async () => {
    const folders = makeSkillFolders();
    folders.skill('workspace/skills/a', 'name: same\ndescription: first');
    folders.skill('workspace/skills/b', 'name: Same\ndescription: second');
    const { skillsSnapshot, problems } = await folders.ensure();
    expect(skillsSnapshot.prompt).toContain('>first<');
    expect(problems).toMatchObject([{ reason: expect.stringContaining('same name') }]);
  });

  test('a description that is too long is cut, and its author hears of it', async () => {
    const folders = makeSkillFolders();
    folders.skill('workspace/skills/a', `name: a\ndescription: ${'😀'.repeat(800)}`);
    const { skillsSnapshot, problems } = await folders.ensure();
    expect(problems).toMatchObject([{ reason: expect.stringContaining('only the first 1024') }]);
    expect(skillsSnapshot.prompt).toMatch(/😀…<\/skill>/);
    expect(skillsSnapshot.prompt!.isWellFormed()).toBe(true);
  });
});

describe('the snapshot of a session', () => {
  test('is kept while nothing changes, and grows a version when something does', async () => {
    const folders = makeSkillFolders();
    const file = folders.skill('workspace/skills/a', 'name: a\ndescription: one');
    const first = await folders.ensure({ now: 1000 });
    expect(first.changed).toBe(true);
    const same = await folders.again(first.skillsSnapshot);
    expect(same).toEqual({ skillsSnapshot: first.skillsSnapshot, changed: false, problems: [] });
    expect(same.skillsSnapshot).toBe(first.skillsSnapshot);

    writeFileSync(file, '---\nname: a\ndescription: two\n---\n');
    const second = await folders.again(first.skillsSnapshot, { now: 500 });
    expect(second.changed).toBe(true);
    expect(second.skillsSnapshot.prompt).toContain('>two<');
    expect(second.skillsSnapshot.version).toBeGreaterThan(first.skillsSnapshot.version!);

    rmSync(join(folders.workspaceDir, 'skills'), { recursive: true });
    const third = await folders.again(second.skillsSnapshot, { now: 0 });
    expect(third.skillsSnapshot).toMatchObject({ prompt: '', skills: [] });
    expect(third.skillsSnapshot.version).toBeGreaterThan(second.skillsSnapshot.version!);
  });

  test('a file that was only touched changes nothing for the model', async () => {
    const folders = makeSkillFolders();
    const file = folders.skill('workspace/skills/a', 'name: a\ndescription: one');
    const { skillsSnapshot } = await folders.ensure();
    utimesSync(file, 1, 1);
    const touched = await folders.again(skillsSnapshot);
    expect(touched.changed).toBe(false);
    expect({ ...touched.skillsSnapshot, signature: '' }).toEqual({ ...skillsSnapshot, signature: '' });
    expect((await folders.again(touched.skillsSnapshot)).skillsSnapshot).toBe(touched.skillsSnapshot);
  });

  test('of another program, without a prompt or a signature, is replaced', async () => {
    const folders = makeSkillFolders();
    folders.skill('workspace/skills/a', 'name: a\ndescription: one');
    const foreign = { skills: [{ name: 'a' }], version: Date.now() + 1e6 };
    const { changed, skillsSnapshot } = await folders.again(foreign);
    expect(changed).toBe(true);
    expect(skillsSnapshot.version).toBe(foreign.version + 1);
  });

  test('another filter is another snapshot', async () => {
    const folders = makeSkillFolders();
    for (const name of ['a', 'b']) folders.skill(`workspace/skills/${name}`, `name: ${name}\ndescription: x`);
    const { skillsSnapshot } = await folders.ensure();
    const filtered = await folders.again(skillsSnapshot, { skillFilter: ['a'] });
    expect(filtered).toMatchObject({ changed: true, skillsSnapshot: { skills: [{ name: 'a' }] } });
  });

  test('a list that is too long keeps its size and says what is missing', async () => {
    const folders = makeSkillFolders();
    for (let n = 100; n < 250; n++) {
      folders.skill(`workspace/skills/s${n}`, `name: s${n}\ndescription: ${'long '.repeat(150)}`);
    }
    const { prompt, skills } = (await folders.ensure()).skillsSnapshot;
    expect(prompt!.length).toBeLessThan(17_000);
    expect(prompt).toMatch(/\d+ more skills did not fit here\./);
    expect(skills).toHaveLength(150);
  });
});

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { listSkillFolders } from '../../../src/turn/skills/scan-folders.ts';
import { type SkillWatch, watchSkills } from '../../../src/turn/skills/watch-skills.ts';
import { makeSkillFolders } from './skill-folders.ts';

function startWatch(lookEveryMs: number): SkillWatch {
  const watch = watchSkills({ lookEveryMs });
  afterTest(() => watch.close());
  return watch;
}

test('between changes the folders are not looked at', () => {
  const folders = makeSkillFolders();
  folders.skill('workspace/skills/a', 'name: a\ndescription: x');
  const watch = startWatch(600_000);
  const listed = listSkillFolders(folders);
  expect(watch.scan(listed)).toBe(watch.scan(listed));
});

test('a changed, a new and a replaced skill are noticed', async () => {
  const folders = makeSkillFolders();
  const file = folders.skill('workspace/skills/a', 'name: a\ndescription: x');
  const watch = startWatch(600_000);
  const listed = listSkillFolders(folders);
  const changes = [
    () => writeFileSync(file, '---\nname: a\ndescription: other\n---\n'),
    () => folders.skill('workspace/skills/b', 'name: b\ndescription: x'),
    () => rmSync(join(folders.workspaceDir, 'skills/a'), { recursive: true }),
    () => folders.skill('workspace/skills/a', 'name: a\ndescription: again'),
  ];
  for (const change of changes) {
    const { signature } = watch.scan(listed);
    change();
    await vi.waitFor(() => expect(watch.scan(listed).signature).not.toBe(signature), { timeout: 60_000 });
    // The folder of a new skill is watched from the scan that found it.
    await vi.waitFor(() => expect(watch.scan(listed)).toBe(watch.scan(listed)), { timeout: 60_000 });
  }
});

test('a folder that appears later is found by looking', async () => {
  const folders = makeSkillFolders();
  const watch = startWatch(1);
  const listed = listSkillFolders(folders);
  const { signature } = watch.scan(listed);
  mkdirSync(folders.workspaceDir);
  folders.skill('workspace/skills/a', 'name: a\ndescription: x');
  await vi.waitFor(() => expect(watch.scan(listed).signature).not.toBe(signature), { timeout: 60_000 });
});

test('a session whose process watches gets the new skill at its next turn', async () => {
  const folders = makeSkillFolders();
  folders.skill('workspace/skills/a', 'name: a\ndescription: x');
  const watch = startWatch(600_000);
  const { skillsSnapshot } = await folders.ensure({ watch });
  expect((await folders.again(skillsSnapshot, { watch })).skillsSnapshot).toBe(skillsSnapshot);
  folders.skill('workspace/skills/b', 'name: b\ndescription: x');
  await vi.waitFor(
    async () => {
      const later = await folders.again(skillsSnapshot, { watch });
      expect(later.skillsSnapshot.skills.map(({ name }) => name)).toEqual(['a', 'b']);
    },
    { timeout: 60_000 },
  );
});

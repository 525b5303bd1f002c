import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSkillFolders } from './skill-folders.ts';

/** The frontmatter of a skill that needs something, in OpenClaw's two ways of writing it. */
const inJson = (openclaw: object) => `name: a\ndescription: x\nmetadata: ${JSON.stringify({ openclaw })}`;
const inYaml =
  'name: a\ndescription: x\nmetadata:\n  openclaw:\n    requires:\n      env:\n        - KEY_A\n    primaryEnv: KEY_A';

test.each([
  ['JSON', inJson({ requires: { env: ['KEY_A'] }, primaryEnv: 'KEY_A' })],
  ['YAML', inYaml],
  [
    'JSON text over several lines',
    'name: a\ndescription: x\nmetadata:\n  {\n    "openclaw":\n      { "requires": { "env": ["KEY_A"] }, "primaryEnv": "KEY_A", },\n  }',
  ],
  [
    'an older name',
    'name: a\ndescription: x\nmetadata: {"clawdbot":{"requires":{"env":["KEY_A"]},"primaryEnv":"KEY_A"}}',
  ],
])('variables that must be set, in %s', async (_, frontmatter) => {
  const folders = makeSkillFolders();
  folders.skill('workspace/skills/a', frontmatter);
  expect(await folders.names({ env: {} })).toEqual([]);
  expect(await folders.names({ env: { KEY_A: '' } })).toEqual([]);
  const { skillsSnapshot } = await folders.ensure({ env: { KEY_A: 'secret-value' } });
  expect(skillsSnapshot.skills).toEqual([{ name: 'a', primaryEnv: 'KEY_A', requiredEnv: ['KEY_A'] }]);
  expect(JSON.stringify(skillsSnapshot)).not.toContain('secret-value');
});

test('programs that must be there, all of one list and one of the other', async () => {
  const folders = makeSkillFolders();
  folders.skill(
    'workspace/skills/all',
    inJson({ requires: { bins: ['p', 'q'] } }).replace('name: a', 'name: all'),
  );
  folders.skill(
    'workspace/skills/any',
    inJson({ requires: { anyBins: ['p', 'q'] } }).replace('name: a', 'name: any'),
  );
  folders.skill(
    'workspace/skills/out',
    inJson({ requires: { bins: ['../bin/p'] } }).replace('name: a', 'name: out'),
  );
  const request = { platform: 'linux' as const, env: { PATH: join(folders.root, 'bin') } };
  expect(await folders.names(request)).toEqual([]);
  const other = { platform: 'linux' as const, env: { PATH: `:${join(folders.root, 'bin')}` } };
  for (const name of ['p', 'q']) folders.file(`bin/${name}`, '#!/bin/sh\n');
  chmodSync(join(folders.root, 'bin/p'), 0o755);
  expect(await folders.names(other)).toEqual(['any']);
  chmodSync(join(folders.root, 'bin/q'), 0o755);
  // What was looked for is remembered for a while, by the path that was searched.
  expect(await folders.names(other)).toEqual(['any']);
  expect(await folders.names({ ...request, env: { PATH: `${join(folders.root, 'bin')}:` } })).toEqual([
    'all',
    'any',
  ]);
});

test('systems and settings', async () => {
  const folders = makeSkillFolders();
  folders.skill('workspace/skills/mac', inJson({ os: ['darwin'] }).replace('name: a', 'name: mac'));
  folders.skill(
    'workspace/skills/win',
    inJson({ os: ['windows'], always: true }).replace('name: a', 'name: win'),
  );
  folders.skill(
    'workspace/skills/set',
    inJson({ requires: { config: ['messages.responsePrefix'] } }).replace('name: a', 'name: set'),
  );
  folders.skill(
    'workspace/skills/own',
    inJson({ requires: { config: ['constructor.name'] } }).replace('name: a', 'name: own'),
  );
  folders.skill(
    'workspace/skills/always',
    inJson({ always: true, requires: { env: ['NOT_SET'] } }).replace('name: a', 'name: always'),
  );
  expect(await folders.names({ platform: 'linux' })).toEqual(['always']);
  expect(await folders.names({ platform: 'darwin' })).toEqual(['always', 'mac']);
  const config = { ...folders.config, messages: { responsePrefix: 'x' } };
  expect(await folders.names({ platform: 'win32', config })).toEqual(['always', 'set', 'win']);
});

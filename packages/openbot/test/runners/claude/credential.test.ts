import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findClaudeCredential } from '../../../src/runners/claude/credential.ts';
import { makeTempFolder } from '../../setup/temp-folder.ts';

it('is a variable, a cloud, or a login; never its value', () => {
  const HOME = makeTempFolder();
  const find = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    findClaudeCredential({ HOME, ...env }, platform);
  expect(find({ ANTHROPIC_API_KEY: ' ' })).toMatchObject({ credential: 'missing' });
  expect(find({}).credentialHint).toContain('CLAUDE_CODE_OAUTH_TOKEN');
  // There it may be in the keychain.
  expect(find({}, 'darwin')).toMatchObject({ credential: 'unknown' });
  for (const name of ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK']) {
    expect(find({ [name]: 'secret' })).toEqual({ credential: 'present', credentialHint: name });
  }
  mkdirSync(join(HOME, 'config'));
  writeFileSync(join(HOME, 'config/.credentials.json'), '{}');
  expect(find({ CLAUDE_CONFIG_DIR: join(HOME, 'config') })).toMatchObject({ credential: 'present' });
  expect(find({})).toMatchObject({ credential: 'missing' });
});

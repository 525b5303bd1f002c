import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseSkill } from '../../src/turn/skills/skill.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');

test('the example of a skill is one', async () => {
  const [, example] = /```markdown\n([\s\S]*?)```/.exec(read('workspace.md'))!;
  const { skill } = await parseSkill(example!, { file: '/f', folderName: 'f', source: 'workspace' });
  expect(skill).toMatchObject({
    name: 'invoices',
    primaryEnv: 'INVOICE_KEY',
    requires: { bins: ['pandoc'], env: ['INVOICE_KEY'], os: ['linux', 'darwin'] },
  });
});

test('fields with an effect and fields without one are listed as such', () => {
  const [, effect, , kept] = read('session-fields.md').split(/^## /m);
  const withEffect = `reasoningLevel responseUsage thinkingLevel verboseLevel queueMode queueDebounceMs queueCap queueDrop
    groupActivation groupActivationNeedsSystemIntro sendPolicy modelOverride providerOverride execSecurity execAsk`;
  for (const field of withEffect.split(/\s+/)) expect(effect).toContain(`\`${field}\``);
  const without = `ttsAuto elevatedLevel execHost execNode authProfileOverride authProfileOverrideSource
    authProfileOverrideCompactionCount`;
  for (const field of without.split(/\s+/)) expect(kept).toContain(`\`${field}\``);
});

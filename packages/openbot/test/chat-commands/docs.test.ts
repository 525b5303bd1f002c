import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CHAT_COMMANDS } from '../../src/chat-commands/table.ts';

const PAGE = readFileSync(new URL('../../../../docs/chat-commands.md', import.meta.url), 'utf8');

test('docs/chat-commands.md has every command as the table has it', () => {
  const rows = CHAT_COMMANDS.map(({ name, aliases = [], argument, summary, when, isFor = 'allowFrom' }) => {
    const names = [name, ...aliases].map((one) => `\`/${one}\``).join(', ');
    const given = argument === undefined ? '' : ` \`${argument}\``;
    return `| ${[`${names}${given}`, summary, when, isFor].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  expect(PAGE.split('\n').filter((line) => line.startsWith('| `/'))).toEqual(rows);
});

/** Makes docs/errors.md from the error codes of the packages. `npm run docs` writes it; a test holds that it is up to date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAUDE_CODE_ERRORS } from '../../packages/claude-code/src/error-codes.ts';
import { OCC_ERRORS } from '../../packages/occ/src/error-codes.ts';
import { OPENBOT_ERRORS } from '../../packages/openbot/src/error-codes.ts';
import { SESSIONS_ERRORS } from '../../packages/sessions/src/error-codes.ts';

export interface ExplainedCode {
  readonly means: string;
  readonly remedy: string;
}

/** By package, in the order of their imports: a package may throw its own codes and those of the packages before it. */
export const ERROR_CODES: Readonly<Record<string, Readonly<Record<string, ExplainedCode>>>> = {
  sessions: SESSIONS_ERRORS,
  occ: OCC_ERRORS,
  'claude-code': CLAUDE_CODE_ERRORS,
  openbot: OPENBOT_ERRORS,
};

const HEAD = `# Error codes

Every expected failure is an \`OpenBotError\` with a \`code\` from these tables, a message that says what
happened, often a \`hint\`, and the \`cause\` if another error led to it. Branch on the code: it is stable. The
text is for people and may change. A failure that is not in a table is a bug in the caller or in OpenBot.

With \`--json\`, \`occ\` and \`openbot\` print a failure as \`{"success":false,"error":{"code","message","hint"}}\` on stderr.

This page is made by \`npm run docs\` from the \`error-codes.ts\` of each package. A new code is one entry there.
`;

const TITLES: Readonly<Record<string, string>> = {
  sessions: 'All packages',
  occ: '`occ`',
  'claude-code': '`@openbot/claude-code` and `openbot cc`',
  openbot: '`openbot`',
};

export function makeErrorsPage(): string {
  const tables = Object.entries(ERROR_CODES).map(([name, codes]) => {
    const rows = Object.entries(codes).map(
      ([code, { means, remedy }]) => `| \`${code}\` | ${escapeCell(means)} | ${escapeCell(remedy)} |`,
    );
    return [
      `## ${TITLES[name]}`,
      '',
      '| code | what it means | what to do |',
      '| --- | --- | --- |',
      ...rows,
    ].join('\n');
  });
  return `${[HEAD, ...tables].join('\n\n').replace('\n\n\n', '\n\n')}\n`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', 'errors.md'), makeErrorsPage());
}

/** Makes docs/config.md and docs/openbot.schema.json from the schema of openbot.json. `npm run docs` writes them; a test holds that they are up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeJsonSchema } from '../../packages/openbot/src/config/schema/json-schema.ts';
import { type ListedSetting, listSettings } from '../../packages/openbot/src/config/schema/list-settings.ts';

/** What is explained at another place: the settings below these are not listed again. */
const SAME_AS: Readonly<Record<string, string>> = {
  'agents.entries': 'as `agents.list`',
  'agents.defaults.tools.exec': 'as `tools.exec`',
  'agents.defaults.claudeCode': 'as `claudeCode`',
  'session.resetByType.direct': 'as `session.reset`',
  'session.resetByType.dm': 'as `session.reset`',
  'session.resetByType.group': 'as `session.reset`',
  'session.resetByType.thread': 'as `session.reset`',
  'session.resetByChannel': 'by name: as `session.reset`',
  'channels.<name>.accounts': 'by name: as the channel',
};

const MARKER = /^<!-- settings (\S+) -->$/gm;

export function makeConfigPage(): string {
  const prose = readFileSync(join(import.meta.dirname, 'config-prose.md'), 'utf8');
  const all = listSettings();
  const prefixes = [...prose.matchAll(MARKER)].map(([, prefix]) => prefix!);
  const listed = new Set<string>();
  const page = prose.replaceAll(MARKER, (_, prefix: string) => {
    const others = prefixes.filter((other) => other !== prefix && other.startsWith(prefix));
    const rows = all.filter(
      ({ path }) =>
        isBelow(path, prefix) && !isExplainedElsewhere(path) && !others.some((other) => isBelow(path, other)),
    );
    for (const { path } of rows) listed.add(path);
    return tableOf(rows, prefix.endsWith('.') ? prefix.length : 0);
  });
  const missing = all.filter(
    ({ path, values }) => values !== undefined && !listed.has(path) && !isExplainedElsewhere(path),
  );
  if (missing.length > 0)
    throw new Error(`config-prose.md lists nowhere: ${missing.map(({ path }) => path).join(', ')}`);
  return page;
}

function isBelow(path: string, prefix: string): boolean {
  return prefix.endsWith('.')
    ? path.startsWith(prefix)
    : path === prefix || (/^[.[]/.test(path.replace(prefix, '')) && path.startsWith(prefix));
}

function isExplainedElsewhere(path: string): boolean {
  const isOfAgent = path.startsWith('agents.list[].') && !/^agents\.list\[\]\.(id|default|name)$/.test(path);
  return isOfAgent || Object.keys(SAME_AS).some((other) => path !== other && path.startsWith(other));
}

function tableOf(rows: readonly ListedSetting[], skipped: number): string {
  const lines = rows
    .filter(({ path, values }) => values !== undefined || path in SAME_AS)
    .map(({ path, values, facts }) => {
      const standard = facts.default === undefined ? '' : `\`${showDefault(facts.default)}\``;
      const kind = SAME_AS[path] ?? values ?? '';
      return `| \`${path.slice(skipped)}\` | ${[facts.description ?? '', kind, standard].map(escapeCell).join(' | ')} |`;
    });
  return ['| setting | means | values | default |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

function showDefault(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

export function makeSchemaFile(): string {
  return `${JSON.stringify(makeJsonSchema(), null, 2)}\n`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', 'config.md'), makeConfigPage());
  writeFileSync(join(import.meta.dirname, '..', 'openbot.schema.json'), makeSchemaFile());
}

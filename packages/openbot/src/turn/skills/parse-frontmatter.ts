/** Larger ones are no list of facts about a skill. */
const MAX_FRONTMATTER_CHARS = 32_000;

/** The YAML between the `---` lines at the start of a SKILL.md. Throws an error whose message is the reason. */
export async function parseFrontmatter(text: string): Promise<Readonly<Record<string, unknown>>> {
  const yaml = cutFrontmatter(text);
  const simple = readSimpleLines(yaml);
  if (simple !== undefined) return simple;
  // YAML takes 7 ms to load, and most skills do not need it.
  const { parseYAML } = await import('confbox/yaml');
  let value: unknown;
  try {
    value = parseYAML(yaml);
  } catch (error) {
    value = tryQuoted(parseYAML, yaml);
    if (value === undefined) throw new Error(`its frontmatter is not YAML: ${firstLine(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('its frontmatter has no names and values');
  }
  return value as Record<string, unknown>;
}

function cutFrontmatter(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (!/^---[ \t]*\n/.test(lines)) throw new Error('it does not begin with frontmatter (a line of ---)');
  const start = lines.indexOf('\n') + 1;
  const end = /^---[ \t]*$/m.exec(lines.slice(start));
  if (end === null) throw new Error('its frontmatter has no end (a second line of ---)');
  if (end.index > MAX_FRONTMATTER_CHARS) {
    throw new Error(`its frontmatter has more than ${MAX_FRONTMATTER_CHARS} characters`);
  }
  return lines.slice(start, start + end.index);
}

/**
 * `name: value` lines with plain text, JSON or nothing as their values; undefined for everything that needs YAML. Text
 * with a colon in it is no YAML, but people write it, and other programs read it.
 */
function readSimpleLines(yaml: string): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {};
  for (const line of yaml.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name, rest = ''] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (name === undefined || Object.hasOwn(values, name)) return undefined;
    const value = readSimpleValue(rest.trim());
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}

function readSimpleValue(text: string): unknown {
  if (text === '') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^["{[]/.test(text)) return parseJson(text);
  return /^['|>&*!%@`?\]},#-]|[ \t]#/.test(text) ? undefined : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Once more with quotes around plain text that has a colon. */
function tryQuoted(parse: (text: string) => unknown, yaml: string): unknown {
  const quoted = yaml.replace(
    /^([A-Za-z][\w-]*):[ \t]+([^\s"'|>&*!%@`?[\]{},#-].*: .*)$/gm,
    (_, name: string, text: string) => `${name}: ${JSON.stringify(text.trim())}`,
  );
  if (quoted === yaml) return undefined;
  try {
    return parse(quoted);
  } catch {
    return undefined;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;
}

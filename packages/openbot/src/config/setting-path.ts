import { OpenBotError } from '@openbot/sessions';

/** The names and indexes that lead to a setting. */
export type SettingPath = readonly (string | number)[];

const PART = /\.?([^.[\]"']+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/** Of `agents.list[0].name` or `agents.defaults.models["openai/gpt-4.1"].alias`. Throws USAGE. */
export function parseSettingPath(text: string): SettingPath {
  const path: (string | number)[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const at = PART.lastIndex;
    const found = PART.exec(text);
    // A dot is between two names: neither the first character nor absent after another part.
    if (found === null || (found[1] !== undefined && at > 0 !== text.startsWith('.', at)))
      throw notAPath(text);
    const [, name, index, double, single] = found;
    path.push(index === undefined ? (name ?? (double ?? single)!.replace(/\\(.)/gs, '$1')) : Number(index));
  }
  if (path.length === 0) throw notAPath(text);
  return path;
}

function notAPath(text: string): OpenBotError {
  return new OpenBotError('USAGE', `'${text}' is not the path of a setting`, {
    hint: 'Paths look like agents.defaults.model, agents.list[0].name or agents.defaults.models["openai/gpt-4.1"].alias',
  });
}

/** As `parseSettingPath` reads it; `the file` where it is empty. */
export function showSettingPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  const parts = path.map((part, index) => {
    if (typeof part === 'number') return `[${part}]`;
    const name = String(part);
    if (!/^[^.[\]"'\\]+$/.test(name)) return `[${JSON.stringify(name)}]`;
    return index === 0 ? name : `.${name}`;
  });
  return parts.join('');
}

export function readSetting(value: unknown, path: SettingPath): unknown {
  return path.reduce<unknown>(
    (within, part) =>
      typeof within === 'object' && within !== null && Object.hasOwn(within, part)
        ? (within as Record<string | number, unknown>)[part]
        : undefined,
    value,
  );
}

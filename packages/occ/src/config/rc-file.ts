import { OpenBotError } from '@openbot/sessions';

type Values = { [key: string]: unknown };

/** Lines of the form `key=value`; a dot in a key leads into an object. Throws CONFIG_INVALID for any other line. */
export function parseRcFile(text: string, shownPath: string): Values {
  const values: Values = {};
  for (const [at, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (!/\S/.test(line) || /^\s*[#;]/.test(line)) continue;
    const match = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (match === null) {
      throw new OpenBotError('CONFIG_INVALID', `${shownPath}: line ${at + 1} is not of the form key=value`, {
        hint: 'Write lines such as defaultPreset=aggressive; JSON belongs into occ.config.json',
      });
    }
    put(values, match[1]!.split('.'), readValue(match[2]!));
  }
  return values;
}

/** Keys are defined, not assigned: `__proto__` is a key like any other, and no setting. */
function put(values: Values, [key = '', ...rest]: string[], value: unknown): void {
  const held = Object.hasOwn(values, key) ? values[key] : undefined;
  const inner = rest.length === 0 ? value : typeof held === 'object' && held !== null ? held : {};
  Object.defineProperty(values, key, { value: inner, enumerable: true, writable: true, configurable: true });
  if (rest.length > 0) put(inner as Values, rest, value);
}

/** JSON where it is some, else the text itself. */
function readValue(text: string): unknown {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

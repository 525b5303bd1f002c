import { isSecretSetting } from './schema/look-up.ts';
import type { SettingPath } from './setting-path.ts';

const MASK = '********';

/**
 * The value at a path as it may be shown. The name of a variable or of a file is no secret.
 * @param mask in the place of each secret
 */
export function maskSecrets(value: unknown, path: SettingPath = [], mask = MASK): unknown {
  if (Array.isArray(value)) return value.map((item, index) => maskSecrets(item, [...path, index], mask));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, maskSecrets(item, [...path, key], mask)]),
    );
  }
  if (isSecretSetting(path)) return isReference(value) ? value : mask;
  return typeof value === 'string' ? maskAddresses(value, mask) : value;
}

/** What comes before the last `@`: a password may contain the characters that end a host. A port is none. */
const USER_INFO = /(?<=:\/\/)(?:[^\s/?#@:[\]]*:(?!\d{1,5}(?:[/?#]|$))\S*|[^\s/?#]*)(?=@)/g;
const SECRET_NAME =
  /token|secret|passw|pwd|credential|key|sig|auth|jwt|hmac|ticket|^(?:code|session|sessionid|sid)$/i;

/** Addresses may carry a password before the host, and tokens behind it. */
function maskAddresses(text: string, mask: string): string {
  if (!text.includes('://')) return text;
  return text
    .replace(USER_INFO, (info) => maskUser(info, mask))
    .replace(/([?&#;])([^=?&#;\s]+)=([^&#;\s]+)/g, (whole, mark: string, name: string, value: string) =>
      SECRET_NAME.test(name) ? `${mark}${name}=${maskText(value, mask)}` : whole,
    );
}

function maskUser(info: string, mask: string): string {
  const [user = '', ...password] = info.split(':');
  return [user, ...(password.length === 0 ? [] : [password.join(':')])]
    .map((part) => maskText(part, mask))
    .join(':');
}

function maskText(text: string, mask: string): string {
  return text === '' || (text.startsWith('$') && isReference(text)) ? text : mask;
}

export function isReference(value: unknown): boolean {
  return typeof value === 'string' && (/^\$\{[A-Z_][A-Z0-9_]*\}$/.test(value) || value.startsWith('file:'));
}

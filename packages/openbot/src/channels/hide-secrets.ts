import { isSecretName } from '../config/secret-name.ts';

const MASK = '********';

/** Makes the function that takes the secrets of an account out of a text that its network or library wrote. */
export function hideSecretsOf(settings: Readonly<Record<string, unknown>>): (text: string) => string {
  const secrets = [...new Set(listSecrets(settings))].toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, MASK), text);
}

/** In the forms in which an address or a header may carry them. */
function listSecrets(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') {
    // A short one would take ordinary words away with it.
    if (!isSecret || value.length < 6) return [];
    return [value, encodeURIComponent(value), Buffer.from(value).toString('base64')];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => listSecrets(item, isSecret || isSecretName(name)));
}

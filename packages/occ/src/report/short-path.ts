import { printable } from '@openbot/sessions/terminal-text';

/** A path for people: `~` for the home folder. */
export function shortenPath(path: string, home: string): string {
  const base = home.replace(/[/\\]+$/, '');
  if (base !== '' && path === base) return '~';
  const below = base !== '' && path.startsWith(base) && /^[/\\]/.test(path.slice(base.length));
  return printable(below ? `~${path.slice(base.length)}` : path);
}

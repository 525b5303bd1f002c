import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoteForShell } from '@openbot/sessions/terminal-text';

/** How to install a package where this one finds it, which is not the folder that a person happens to be in. */
export function explainInstall(name: string, ownFile = fileURLToPath(import.meta.url)): string {
  const [, above] = /^(.*)[/\\]node_modules[/\\]openbot[/\\]/.exec(ownFile) ?? [];
  if (above === undefined) return `npm install ${name}`;
  // npm runs what is not installed from a folder of its own, which it makes for each set of packages.
  if (/[/\\]_npx[/\\]/.test(above)) return `npx --package openbot --package ${name} openbot …`;
  // Only a global installation has no manifest above it.
  return existsSync(join(above, 'package.json'))
    ? `npm install --prefix ${quoteForShell(above)} ${name}`
    : `npm install --global ${name}`;
}

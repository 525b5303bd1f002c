import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoteForShell } from '@openbot/sessions/terminal-text';

/** How to install packages where this one finds them, which is not the folder that a person happens to be in. */
export function explainInstall(names: string, ownFile = fileURLToPath(import.meta.url)): string {
  const [, above] = /^(.*)[/\\]node_modules[/\\]openbot[/\\]/.exec(ownFile) ?? [];
  if (above === undefined) return `npm install ${names}`;
  // npm runs what is not installed from a folder of its own, which it makes for each set of packages.
  if (/[/\\]_npx[/\\]/.test(above)) {
    const packages = names.split(' ').map((name) => `--package ${name}`);
    return `npx --package openbot ${packages.join(' ')} openbot …`;
  }
  // Only a global installation has no manifest above it.
  return existsSync(join(above, 'package.json'))
    ? `npm install --prefix ${quoteForShell(above)} ${names}`
    : `npm install --global ${names}`;
}

/** Whether Node would find the package from here. Its own search is of no use: some packages allow no `require`. */
export function isInstalled(name: string, from: string = import.meta.url): boolean {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  return folders.some((folder) => existsSync(join(folder, name, 'package.json')));
}

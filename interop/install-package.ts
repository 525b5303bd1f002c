/** Packages that scenarios use and the project does not depend on, from the registry that npm is set to, once per version. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runCommand } from './started-processes.ts';

/** Where the versions are. */
export const INTEROP_CACHE =
  process.env.OPENBOT_INTEROP_CACHE ?? resolve(import.meta.dirname, '../node_modules/.cache/openbot-interop');

/** Installs it where it is not yet, and returns its folder. */
export async function ensurePackage(
  name: string,
  version: string,
  npmOptions: readonly string[] = [],
): Promise<string> {
  const folder = join(INTEROP_CACHE, `${name}-${version}`);
  const installed = join(folder, 'node_modules', name);
  if (existsSync(installed)) return installed;

  console.log(`note installing ${name} ${version} into ${folder}; this takes a minute or two`);
  // It gets its name when it is whole, so that an install that was cut off is never used.
  const partial = `${folder}.${process.pid}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    const manifest = { private: true, dependencies: { [name]: version } };
    await writeFile(join(partial, 'package.json'), JSON.stringify(manifest));
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
    const { code, stderr } = await runCommand('npm', [...args, ...npmOptions], {
      cwd: partial,
      env: npmEnvironment(),
    });
    if (code !== 0) throw new Error(`npm could not install ${name} ${version}:\n${stderr.trim()}`);
    // Another run may have been quicker.
    if (!existsSync(installed)) await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return installed;
}

/** Ours, without what `npm run` says about this workspace. */
function npmEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^npm_(?!config_registry)|^INIT_CWD$/i.test(name)) env[name] = value;
  }
  return env;
}

/** Packages that few need: installed from the registry that npm is set to when they are needed, once per version. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache');

export interface PackageApart {
  readonly name: string;
  readonly version: string;
  readonly npmOptions?: readonly string[];
  /** The folder that holds the installs. Default: one in `node_modules/.cache`. */
  readonly cache?: string;
}

/** Returns the folder of the package. */
export async function installApart(wanted: PackageApart): Promise<string> {
  const { name, version, npmOptions = [], cache = join(CACHE, 'openbot-apart') } = wanted;
  const folder = join(cache, `${name}-${version}`);
  const installed = join(folder, 'node_modules', name);
  if (existsSync(installed)) return installed;

  console.error(`note installing ${name} ${version} into ${folder}; this can take some minutes`);
  // It gets its name when it is whole, so that an install that was cut off is never used.
  const partial = `${folder}.${process.pid}.partial`;
  await mkdir(partial, { recursive: true });
  try {
    await writeFile(
      join(partial, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [name]: version } }),
    );
    await runNpm(
      ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', ...npmOptions],
      partial,
    );
    // Another run may have been quicker.
    if (!existsSync(installed)) await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return installed;
}

async function runNpm(args: readonly string[], cwd: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile('npm', args, { cwd, env: npmEnvironment() }, (error, _stdout, stderr) => {
      process.off('exit', end);
      if (error === null) resolve();
      else reject(new Error(`npm could not install into ${cwd}:\n${stderr.trim() || error.message}`));
    });
    const end = () => child.kill();
    process.once('exit', end);
  });
}

/** Ours, without what `npm run` says about this workspace. */
function npmEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry)|^INIT_CWD$/i.test(name)),
  );
}

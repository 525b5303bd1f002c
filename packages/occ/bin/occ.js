#!/usr/bin/env node
// Plain syntax and no imports of its own, so that an old Node gets as far as saying that it is old.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  fail(`occ needs Node 22.19 or newer; this is Node ${process.versions.node} (${process.execPath})`);
} else {
  enableCompileCache();
  import('../dist/bin/occ.js').then((bundle) => bundle.start(), explainMissingBundle);
}

function explainMissingBundle(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  fail("occ is not built here; run 'npm run build' first");
}

function fail(sentence) {
  process.stderr.write(`Error: ${sentence}\n`);
  process.exitCode = 1;
}

/**
 * Node runs what it finds in its compile cache, so the cache is in a folder that no other user can write to; Node's own choice is
 * the temp folder. Where there is no such folder there is no cache. bin/occ.js and bin/openbot.js have the same function.
 */
function enableCompileCache() {
  const { env } = process;
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return;
  const modules = process.getBuiltinModule('node:module');
  // The temp folder of Windows is the user's own.
  if (process.platform === 'win32') return modules.enableCompileCache();
  const fs = process.getBuiltinModule('node:fs');
  const { dirname, isAbsolute, join } = process.getBuiltinModule('node:path');
  const uid = process.getuid();

  // A folder above is as good as ours where only this user and root can rename what is in it.
  const isSafeAbove = (folder) => {
    const { uid: owner, mode } = fs.statSync(folder);
    const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    if (isShared || (owner !== uid && owner !== 0)) return false;
    return dirname(folder) === folder || isSafeAbove(dirname(folder));
  };
  const make = (folder) => {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
    return folder;
  };
  const isOwn = (folder) => {
    const stats = fs.lstatSync(folder);
    return stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0;
  };

  try {
    const home = isAbsolute(env.HOME || '') ? join(env.HOME, '.cache') : '';
    const cacheHome = isAbsolute(env.XDG_CACHE_HOME || '') ? env.XDG_CACHE_HOME : home;
    if (cacheHome === '' || !isSafeAbove(fs.realpathSync(dirname(cacheHome)))) return;
    if (!isSafeAbove(fs.realpathSync(make(cacheHome)))) return;
    const folder = join(cacheHome, 'openbot');
    if (!isOwn(make(folder)) || !isOwn(make(join(folder, 'compiled')))) return;
    modules.enableCompileCache(join(folder, 'compiled'));
  } catch {
    // No home folder, or none that can be written to.
  }
}

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { findCacheFolder } from './cache-folder.ts';
import { CodeCache } from './code-cache.ts';

/** A bundle is a function with these parameters. `importModule` is `import()`, which a script does not have. */
export const BUNDLE_SCOPE = [
  'module',
  'exports',
  'require',
  'importModule',
  'bundleFolder',
  'bundleUrl',
  'loadBundle',
] as const;

type LoadBundle = (name: string, command?: string) => unknown;

/**
 * Loads the bundles of a program: scripts in the place of modules, because Node gives no other access to what V8 compiled.
 * @param folder where the bundles are
 */
export function openBundles(program: string, folder: string): LoadBundle {
  const compiled = findCacheFolder();
  const cache = compiled === undefined ? undefined : new CodeCache(compiled, program);
  const loaded = new Map<string, object>();
  /** For the packages that a command loads beside its bundle. Few do. */
  const cachingCode = () => {
    const modules = process.getBuiltinModule('node:module');
    if (compiled !== undefined) modules.enableCompileCache(compiled);
    return modules;
  };
  const importModule = (id: string): Promise<unknown> => {
    cachingCode();
    return import(id);
  };
  const load: LoadBundle = (name, command) => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const path = join(folder, `${name}.cjs`);
    const run = compile(path, cache, command === undefined ? name : `${name}-${command}`);
    const requireBeside = (id: string) =>
      process.getBuiltinModule(id) ?? cachingCode().createRequire(path)(id);
    const module = { exports: {} };
    run(module, module.exports, requireBeside, importModule, folder, pathToFileURL(path).href, load);
    loaded.set(name, module.exports);
    return module.exports;
  };
  return load;
}

function compile(path: string, cache: CodeCache | undefined, name: string): (...scope: unknown[]) => void {
  const fd = openSync(path, 'r');
  try {
    const source = fstatSync(fd);
    // Bundles are ASCII.
    const text = readFileSync(fd, 'latin1');
    const make = (cachedData?: Buffer) => new Script(text, { filename: path, cachedData });
    const script = cache === undefined ? make() : cache.use(name, path, source, make);
    return script.runInThisContext();
  } finally {
    closeSync(fd);
  }
}

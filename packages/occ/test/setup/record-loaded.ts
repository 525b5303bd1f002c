/** Loaded into a node process by `--import`: at its end it writes which modules and bundles were loaded, one URL to a line. */
import { writeFileSync } from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    loaded.push(resolved.url);
    return resolved;
  },
});
vm.Script = class extends vm.Script {
  constructor(code: string, options: vm.ScriptOptions) {
    super(code, options);
    loaded.push(pathToFileURL(options.filename!).href);
  }
};
syncBuiltinESMExports();
const { getBuiltinModule } = process;
process.getBuiltinModule = ((id: string) => {
  loaded.push(id);
  return getBuiltinModule(id);
}) as typeof getBuiltinModule;
process.on('exit', () => writeFileSync(process.env.RECORD_LOADED_TO!, loaded.join('\n')));

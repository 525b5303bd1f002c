/** Loaded into a node process by `--import`: at its end it writes which modules were loaded, one URL to a line. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    loaded.push(resolved.url);
    return resolved;
  },
});
const { getBuiltinModule } = process;
process.getBuiltinModule = ((id: string) => {
  loaded.push(id);
  return getBuiltinModule(id);
}) as typeof getBuiltinModule;
process.on('exit', () => writeFileSync(process.env.RECORD_LOADED_TO!, loaded.join('\n')));

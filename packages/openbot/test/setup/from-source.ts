/** Preloaded before the file of the command: it then runs the sources as they are, and not what was built of them once. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === '../dist/bin/openbot.js' ? '../src/cli/start.ts' : specifier, context),
});

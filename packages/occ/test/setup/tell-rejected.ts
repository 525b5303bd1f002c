/** Loaded into a node process by `--import`: at its end it prints whether V8 took the code that was kept of the last bundle. */
import { syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';

let isTaken: boolean | undefined;
vm.Script = class extends vm.Script {
  constructor(code: string, options: vm.ScriptOptions) {
    super(code, options);
    isTaken = this.cachedDataRejected === undefined ? undefined : !this.cachedDataRejected;
  }
};
syncBuiltinESMExports();
process.on('exit', () => process.stdout.write(`, taken: ${isTaken}`));

import { listenToProgress } from '@openbot/sessions';
import { startProgram } from '@openbot/sessions/command-line';
import { endOnSignals, undoAtEnding } from '@openbot/sessions/disk';
import { OCC } from './main.ts';

/** The entry of the bundle: runs the command line of this process. */
export async function start(): Promise<void> {
  endOnSignals();
  compileForShortRuns();
  await startProgram(OCC, {
    allowsDeletedFolder: true,
    exits: true,
    beforeEnding: (undo) => undoAtEnding('screen', undo),
  });
}

/** A session that is still being read by then is large: memory counts, not the time that collecting garbage takes. */
const LARGE_SCAN_MS = 300;
/** By then the compiler pays after all. */
const LONG_SCAN_MS = 1000;
/**
 * What switches that compiler off and on. Node 22 rejects what is compiled after `--no-turbofan`, also when it is taken back; there the
 * limit of what the compiler takes does the same. In Node 24 the limit also holds for a faster compiler, which is wanted.
 */
const [COMPILER_OFF, COMPILER_ON] =
  Number.parseInt(process.versions.node, 10) < 24
    ? ['--max-optimized-bytecode-size=0', '--max-optimized-bytecode-size=61440']
    : ['--no-turbofan', '--turbofan'];

/**
 * Keeps V8 from its slowest compiler while a session is read and rewritten, and its heap small for a large one. Most commands end before that compiler pays: it
 * would take a second core for as long as the command runs, and memory. Not earlier: modules of Node that are loaded after a
 * change of flags are compiled anew.
 */
function compileForShortRuns(): void {
  let since: number | undefined;
  let isLarge = false;
  const setFlag = (flag: string) => process.getBuiltinModule('node:v8').setFlagsFromString(flag);
  const stop = listenToProgress((news) => {
    if (since === undefined) {
      if (!('step' in news) || news.step !== 'scan') return;
      since = performance.now();
      setFlag(COMPILER_OFF);
      // What is kept for the next run must be compiled with the flags that it starts with.
      process.prependOnceListener('exit', () => {
        setFlag(COMPILER_ON);
        if (isLarge) setFlag('--no-optimize-for-size');
      });
      return;
    }
    const passed = performance.now() - since;
    if (passed > LARGE_SCAN_MS && !isLarge) {
      isLarge = true;
      setFlag('--optimize-for-size');
    }
    if (passed > LONG_SCAN_MS) {
      setFlag(COMPILER_ON);
      stop();
    }
  });
}

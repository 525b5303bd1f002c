/** Every scenario, in the order in which they run: those that need the gateway first, so that it starts seldom. */
import type { Era } from '../install-openclaw.ts';
import type { Scenario } from '../scene.ts';
import { activeRun, activeRunNearWindow, activeRunRefused } from './active-run.ts';
import { backupsLeftAlone } from './backups.ts';
import { boundThinking } from './bound-thinking.ts';
import { controlUi } from './control-ui.ts';
import { cleanTwice, stripLocal, stripStopped, stripTools, truncate } from './edit.ts';
import { cliClients, terminalClient } from './gateway-clients.ts';
import { sameFrames } from './gateway-frames.ts';
import { listedFigures } from './listed-figures.ts';
import { migration } from './migration.ts';
import {
  LONG_NOTE,
  nearWindow,
  nearWindowControl,
  nearWindowLocal,
  nearWindowLocalControl,
} from './near-window.ts';
import { labelled, removedAndBack, sameSessions } from './openbot-sessions.ts';
import { restoreRebranched } from './rebranched.ts';
import { resolutions } from './resolution.ts';
import { clone, restore } from './restore-and-clone.ts';
import { selfClean, selfCleanInHaste, selfCleanNearWindow } from './self-clean.ts';
import { statusLine } from './status-line.ts';
import { cleanedThinking, thinkingControl, wrongHistoryControl } from './thinking.ts';
import { tokenStored } from './token-stored.ts';
import { afterCompaction, afterNewCommand, afterReset } from './windows.ts';

/** As full as a session gets that nobody compacts. */
const NEAR = 119_000;
/** Just below what OpenClaw takes for full after a turn (104,000); above it with a long message. */
const ALMOST = 103_500;
/** In the file era: what a run ends well with (108,000 is full), and the next message finds too much (104,000). */
const FULL_SOON = 106_000;

export const scenarios: Readonly<Record<Era, readonly Scenario[]>> = {
  sqlite: [
    stripTools,
    truncate,
    cleanTwice,
    restore,
    clone,
    afterCompaction,
    afterReset,
    afterNewCommand,
    thinkingControl,
    wrongHistoryControl,
    cleanedThinking,
    ...boundThinking,
    restoreRebranched,
    statusLine,
    listedFigures,
    backupsLeftAlone,
    activeRun,
    activeRunRefused,
    selfClean,
    selfCleanInHaste,
    selfCleanNearWindow(ALMOST),
    activeRunNearWindow(ALMOST),
    nearWindow(ALMOST, LONG_NOTE),
    nearWindowControl(ALMOST, LONG_NOTE),
    sameSessions,
    labelled,
    stripStopped,
    stripLocal,
    nearWindowLocal(NEAR),
    nearWindowLocalControl(NEAR),
    ...resolutions,
    controlUi,
    cliClients,
    sameFrames,
    terminalClient,
  ],
  files: [
    stripTools,
    truncate,
    restore,
    clone,
    thinkingControl,
    wrongHistoryControl,
    cleanedThinking,
    restoreRebranched,
    statusLine,
    listedFigures,
    tokenStored,
    backupsLeftAlone,
    activeRunRefused,
    selfClean,
    selfCleanNearWindow(FULL_SOON, ''),
    nearWindow(FULL_SOON),
    nearWindowControl(FULL_SOON),
    sameSessions,
    labelled,
    removedAndBack,
    stripStopped,
    ...resolutions,
    migration,
  ],
};

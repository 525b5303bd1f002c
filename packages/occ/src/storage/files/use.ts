import { statSync } from 'node:fs';
import { findRunner, identify } from '../../in-use/ancestors.ts';
import { decideUse, describeUse, noteOfMemory, RESUME_FIRST } from '../../in-use/decide-use.ts';
import { findUse } from '../../in-use/find-use.ts';
import { isBoundSession, judgeLastExchange } from '../../in-use/last-exchange.ts';
import { isRecent } from '../../in-use/session-use.ts';
import { waitUntilIdle } from '../../in-use/wait-until-idle.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { AllowedRewrite, Caller, OwnRun, SettledUse, UseQuestion, UseStorage } from '../contract/use.ts';

/** How the program that owns the files works on them. */
export interface FileProgram {
  /** It holds a lock during a run, and opens the file only for the time of a write. */
  readonly takesLock: boolean;
  ownRun(session: FoundSession, caller: Caller): OwnRun;
  /** The lock that is held during a whole run, where that is not the one of the transcript. */
  runLockOf?(session: FoundSession): string | undefined;
  /** The process that has the session open, if the program publishes that. */
  findOpen?(session: FoundSession): OpenProgram | undefined;
}

export interface OpenProgram {
  readonly pid: number;
  /** False while it waits for a person. */
  readonly isWorking: boolean;
  /** For a message. */
  readonly who: string;
}

/** Sessions in files: a file in use is not rewritten, unless its own run asks for it and survives that. */
export function fileUse(program: FileProgram): UseStorage {
  return {
    ownRun: (session, caller) => program.ownRun(session, caller),
    settle: (session, question) => settle(program, session, question),
  };
}

async function settle(
  program: FileProgram,
  session: FoundSession,
  { ownRun, flags }: UseQuestion,
): Promise<SettledUse> {
  const { path, sessionId } = session;
  let isBound = false;
  const noteAfter = (note: string | undefined) =>
    note !== undefined && isBound ? `${note} ${RESUME_FIRST}` : note;
  const allow = (note = noteOpen(program, session)): AllowedRewrite => ({
    act: 'go',
    isInRun: false,
    assertIdle: (transcript) => {
      isBound = isBoundSession(transcript);
      if (flags.force || ownRun !== 'no') return;
      const ageMs = Date.now() - statSync(path).mtimeMs;
      if (!isRecent(ageMs) || judgeLastExchange(transcript) !== 'unfinished') return;
      throw describeUse({ kind: 'unfinished', ageMs, ownRun: 'no' }, sessionId, flags);
    },
    afterEdit: async ({ backupPath }) => (backupPath === undefined ? undefined : noteAfter(note)),
    afterRestore: () => noteAfter(note),
  });
  const runLockPath = program.runLockOf?.(session);
  const findWorking = () => {
    const open = program.findOpen?.(session);
    return open?.isWorking ? identify(open.pid) : undefined;
  };
  const use = await findUse(path, {
    ownRun,
    isLocked: program.takesLock,
    runLockPath,
    findRunner: findWorking,
  });
  const decision = decideUse(use, sessionId, flags);
  if (decision.act === 'go') return allow(decision.note);
  if (decision.act === 'refuse') throw decision.error;
  if (decision.act === 'schedule') return { act: 'schedule', note: decision.note, runner: findRunner(use!) };
  const outcome = await waitUntilIdle(path, {
    waitMs: decision.ms,
    quietMs: decision.quietMs,
    ignoreUnfinished: flags.force,
    runner: use?.kind === 'unfinished' ? use.runner : undefined,
    runLockPath,
  });
  if (outcome.state === 'in-use') throw describeUse(outcome.use, sessionId, flags);
  return allow();
}

function noteOpen({ findOpen }: FileProgram, session: FoundSession): string | undefined {
  const open = findOpen?.(session);
  return open === undefined ? undefined : noteOfMemory(`${open.who} and`);
}

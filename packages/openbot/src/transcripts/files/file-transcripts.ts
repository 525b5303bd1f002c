import { stat } from 'node:fs/promises';
import { resolveStorePath } from '@openbot/sessions';
import {
  examineTranscript,
  openTranscriptForAppend,
  readFileLinesBackwards,
  repairTranscriptHeader,
  type TranscriptAppender,
} from '@openbot/sessions/transcript';
import { Listeners } from '../../listeners.ts';
import type { TranscriptRef, Transcripts, TranscriptUpdate } from '../contract.ts';
import { locateTranscript } from '../locate-transcript.ts';
import { readPathBack } from '../read-path-back.ts';
import { traceTurn } from '../trace-turn.ts';
import { cleanTranscript, restoreTranscript } from './clean.ts';
import { measureTranscript } from './measure.ts';
import { ContextReader } from './read-context.ts';

/** An appender remembers the ids of its transcript; without it they are read again. */
const MOST_APPENDERS = 200;

/**
 * Transcripts as files beside the session store of their agent, which other programs may append to as well.
 * @param storePathOf the stores, where they are not in the usual folders
 */
export function openFileTranscripts(
  stateDir: string,
  storePathOf: (agentId: string) => string = (agentId) => resolveStorePath(undefined, { agentId, stateDir }),
): Transcripts {
  const appenders = new Map<string, TranscriptAppender>();
  const contexts = new ContextReader();
  const listeners = new Listeners<TranscriptUpdate>('for transcript updates');
  const pathOf = (ref: TranscriptRef) => {
    const { agentId } = ref;
    return locateTranscript({ stateDir, agentId, storePath: storePathOf(agentId) }, ref);
  };
  const appenderOf = (ref: TranscriptRef) => {
    const path = pathOf(ref);
    const { sessionId, cwd } = ref;
    const name = JSON.stringify([path, sessionId, cwd]);
    const appender = appenders.get(name) ?? openTranscriptForAppend(path, { create: { sessionId, cwd } });
    appenders.delete(name);
    appenders.set(name, appender);
    if (appenders.size > MOST_APPENDERS) appenders.delete(appenders.keys().next().value!);
    return appender;
  };
  return {
    append: async (ref, drafts) => {
      const appended = await appenderOf(ref).append(drafts);
      const entries = appended.entries.map(({ type, id }) => ({ type, id }));
      if (drafts.length > 0) listeners.call({ ...ref, entries });
      return entries;
    },
    mend: async (ref) => {
      const path = pathOf(ref);
      const condition = await examineTranscript(path);
      if (condition === 'headless')
        await repairTranscriptHeader({ path, sessionId: ref.sessionId, cwd: ref.cwd });
      return condition !== 'unreadable';
    },
    findTurn: (ref, turnId) => unlessMissing(() => traceTurn(backwards(pathOf(ref)), turnId)),
    readContext: async (ref) => (await unlessMissing(() => contexts.read(pathOf(ref)))) ?? [],
    lookBack: async (ref) => {
      const path = pathOf(ref);
      const generation = await unlessMissing(() => readGeneration(path));
      if (generation === undefined) return { generation: 'none', entries: readPathBack([]) };
      return { generation, entries: readPathBack(backwards(path)) };
    },
    measureContext: (ref) => measureTranscript(pathOf(ref)),
    clean: (ref, how) => cleanTranscript(pathOf(ref), how),
    restore: (ref) => restoreTranscript(pathOf(ref)),
    onUpdate: (listener) => listeners.add(listener),
    close: async () => {
      listeners.end();
      appenders.clear();
      contexts.forget();
    },
  };
}

/** Every rewrite puts another file in the place of this one; appends do not. An inode alone is used again. */
async function readGeneration(path: string): Promise<string> {
  const { ino, birthtimeNs } = await stat(path, { bigint: true });
  return `${ino}-${birthtimeNs}`;
}

async function* backwards(path: string): AsyncGenerator<Buffer | undefined> {
  for await (const { bytes } of readFileLinesBackwards(path)) yield bytes;
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw error;
  }
}

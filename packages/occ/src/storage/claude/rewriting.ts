import { basename, dirname, join } from 'node:path';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import type { CloneRequest } from '../contract/rewriting.ts';
import type { CopiedFiles } from '../files/clones/clone-traits.ts';
import { makeFilesRewriting } from '../files/rewriting.ts';
import { isClaudeFileName, resolveProjectsFolder } from './claude-sessions.ts';
import { cloneTitleLine } from './clone-title.ts';
import { copyFileHistory } from './file-history.ts';

export const claudeRewriting = makeFilesRewriting({
  clones: {
    fileName: (sessionId) => `${sessionId}.jsonl`,
    // Claude Code goes on writing under the id that the lines have: a file named like an id must hold that one.
    idIn: (path) => (isClaudeFileName(basename(path)) ? basename(path, '.jsonl') : undefined),
    copyBelongings: copyHistory,
    endingOf: ({ session, toolRemoval }, lines, newSessionId) =>
      lines.transcript.dialect === 'claude-code'
        ? cloneTitleLine({
            ...lines,
            title: session.displayName,
            isCleaned: toolRemoval !== undefined,
            newSessionId,
          })
        : '',
    resumeCommand: ({ sessionId, path }, { scope }) => {
      // Claude Code looks for ids in its own folder alone.
      const isFoundById = dirname(dirname(path)) === resolveProjectsFolder(scope);
      return `claude --resume ${isFoundById ? sessionId : quoteForShell(path)}`;
    },
  },
});

/** Claude Code keeps saved files beside its projects; those of a session in another config folder are with it. */
async function copyHistory(
  { scope, session: { path, sessionId } }: CloneRequest,
  newSessionId: string,
): Promise<CopiedFiles | undefined> {
  if (!isClaudeFileName(`${sessionId}.jsonl`)) return undefined;
  const projects = dirname(dirname(path));
  const config = dirname(basename(projects) === 'projects' ? projects : resolveProjectsFolder(scope));
  return copyFileHistory({ folder: join(config, 'file-history'), sourceSessionId: sessionId, newSessionId });
}

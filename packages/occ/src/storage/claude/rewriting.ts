import { makeFilesRewriting } from '../files/rewriting.ts';

export const claudeRewriting = makeFilesRewriting({ entryOf: () => undefined });

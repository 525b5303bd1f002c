import { makeFilesRewriting } from '../files/rewriting.ts';

export const piRewriting = makeFilesRewriting({ entryOf: () => undefined });

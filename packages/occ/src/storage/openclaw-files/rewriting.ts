import { makeFilesRewriting } from '../files/rewriting.ts';
import { indexEntryOf } from './index-entry.ts';

export const openclawFilesRewriting = makeFilesRewriting({ entryOf: indexEntryOf });

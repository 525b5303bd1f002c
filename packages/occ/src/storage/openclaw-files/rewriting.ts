import { makeFilesRewriting } from '../files/rewriting.ts';
import { openclawClones } from './clone-entry.ts';
import { indexEntryOf } from './index-entry.ts';

export const openclawFilesRewriting = makeFilesRewriting({ entryOf: indexEntryOf, clones: openclawClones });

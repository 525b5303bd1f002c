import type { Tool } from './contract.ts';
import { editFile } from './edit-file.ts';
import { makeGrep } from './grep.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

/** Tools that need nothing but the workspace. */
export const FILE_TOOLS: readonly Tool[] = [listFiles, readFile, makeGrep(), writeFile, editFile];

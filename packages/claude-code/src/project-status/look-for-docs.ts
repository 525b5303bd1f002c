import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocsStatus, StatusGap } from './project-status.ts';

export const NO_DOCS: DocsStatus = {
  hasClaudeMd: false,
  hasSpecs: false,
  specFiles: [],
  hasTodo: false,
  hasReadme: false,
};

const README = /^readme(?:\..+)?$/i;
const TODO = /^todos?(?:[-_. ].*)?$/i;
/** `todo.ts` is a program and `readme.png` a picture: a text has no extension, or one of these. */
const TEXT =
  /^[^.]*$|\.(?:md|markdown|mdx|txt|text|rst|adoc|asciidoc|org|textile|rdoc|pod|creole|wiki|html?)$/i;
const SPEC = /(?:^|[^a-z])spec(?:s|ifications?)?(?=[^a-z]|$)/i;
const SPEC_IN_CAMEL_CASE = /[a-z0-9]Spec(?:s|ifications?)?(?=[^a-z]|$)/;
const MARKDOWN = /\.(?:md|markdown|mdx)$/i;
/** In these folders each Markdown file is a spec. Test folders called `spec` contain programs, which do not count. */
const SPEC_FOLDERS = ['spec', 'specs', 'docs/spec', 'docs/specs', '.specify/specs'];
/** In these folders a Markdown file is a spec if its name says so. */
const NAMED_SPEC_FOLDERS = ['', 'docs'];
const DEPTH = 3;
const LISTED_SPECS = 50;
const SEEN_ENTRIES = 2000;

export interface DocsReading {
  readonly docs: DocsStatus;
  readonly gaps: readonly StatusGap[];
}

/** Searches the top of a work tree, and for specs some folders below it. */
export async function lookForDocs(top: string): Promise<DocsReading> {
  const files = await listFiles(top);
  const claudeFolder = await listFiles(join(top, '.claude')).catch((): string[] => []);
  const specFiles = await findSpecs(top);
  return {
    docs: {
      hasClaudeMd: files.includes('CLAUDE.md') || claudeFolder.includes('CLAUDE.md'),
      hasSpecs: specFiles.length > 0,
      specFiles: specFiles.slice(0, LISTED_SPECS),
      hasTodo: files.some((name) => TODO.test(name) && TEXT.test(name)),
      hasReadme: files.some((name) => README.test(name) && TEXT.test(name)),
    },
    gaps:
      specFiles.length <= LISTED_SPECS
        ? []
        : [{ part: 'docs', reason: `${LISTED_SPECS} of ${specFiles.length} specs are listed` }],
  };
}

async function findSpecs(top: string): Promise<string[]> {
  const found = new Set<string>();
  const left = { entries: SEEN_ENTRIES };
  for (const folder of NAMED_SPEC_FOLDERS) {
    for (const name of await listFiles(join(top, folder)).catch((): string[] => [])) {
      const isNamed = SPEC.test(name) || SPEC_IN_CAMEL_CASE.test(name);
      if (isNamed && MARKDOWN.test(name)) found.add(folder === '' ? name : `${folder}/${name}`);
    }
  }
  for (const folder of SPEC_FOLDERS) {
    for (const path of await listMarkdown(top, folder, DEPTH, left)) found.add(path);
  }
  return [...found].sort();
}

/**
 * Markdown files below a folder, by their paths from the top. Links to folders are not followed: they may form cycles.
 */
async function listMarkdown(
  top: string,
  folder: string,
  depth: number,
  left: { entries: number },
): Promise<string[]> {
  const entries = await readdir(join(top, folder), { withFileTypes: true }).catch((): Dirent[] => []);
  const found: string[] = [];
  for (const entry of entries) {
    if (left.entries-- <= 0) break;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const isHidden = entry.name.startsWith('.') || entry.name === 'node_modules';
      if (depth > 1 && !isHidden) found.push(...(await listMarkdown(top, path, depth - 1, left)));
    } else if (MARKDOWN.test(entry.name) && (await isFile(top, path, entry))) found.push(path);
  }
  return found;
}

/** Names of files, and of links to files. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const kept = await Promise.all(entries.map((entry) => isFile(folder, entry.name, entry)));
  return entries.filter((_, at) => kept[at]).map((entry) => entry.name);
}

async function isFile(folder: string, path: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isFile();
  return stat(join(folder, path)).then(
    (found) => found.isFile(),
    () => false,
  );
}

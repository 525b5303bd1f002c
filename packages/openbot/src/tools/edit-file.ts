import { isUtf8 } from 'node:buffer';
import { type Tool, toolFailure } from './contract.ts';
import { replaceFile } from './replace-file.ts';
import { withFileBelow, withFolderOf } from './workspace.ts';

const MOST_BYTES = 10 * 1024 * 1024;
/** Of the places that are named when a text occurs several times. */
const MOST_PLACES = 10;

export const editFile: Tool = {
  name: 'edit_file',
  description:
    'Replaces one passage of a text file of the workspace. oldText must be exactly what the file has, spaces included, and occur once; with replaceAll every occurrence is replaced.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the workspace.' },
      oldText: { type: 'string', description: 'The passage as it is now.' },
      newText: { type: 'string', description: 'What is in its place afterwards. Empty removes it.' },
      replaceAll: { type: 'boolean', description: 'Replace every occurrence. Default: false.' },
    },
    required: ['path', 'oldText', 'newText'],
  },
  changes: true,
  run: async (args, { workspaceDir, signal }) => {
    const { path, replaceAll = false, ...given } = args as unknown as EditArguments;
    // Half a character would match the middle of a whole one.
    const [oldText, newText] = [given.oldText.toWellFormed(), given.newText.toWellFormed()];
    if (oldText === '') throw toolFailure('oldText is empty. To write a whole file, use write_file.');
    if (oldText === newText) throw toolFailure('oldText and newText are the same: nothing would change.');
    const count = await withFolderOf(workspaceDir, path, {}, async (folder, name) => {
      const { text, stats } = await withFileBelow(folder, name, path, async (handle, stats) => {
        if (stats.size > MOST_BYTES)
          throw toolFailure(
            `${path} is too large to be edited: ${stats.size} bytes. The limit is ${MOST_BYTES} bytes.`,
          );
        const bytes = await handle.readFile({ signal });
        // What is not UTF-8 would not come back as it was.
        if (bytes.includes(0) || !isUtf8(bytes)) throw toolFailure(`${path} is not a text file in UTF-8.`);
        return { text: bytes.toString('utf8'), stats };
      });
      const edit = adaptLineEnds(text, { oldText, newText });
      const places = findPlaces(text, edit.oldText);
      if (places.length === 0) throw toolFailure(describeMissing(text, path, oldText));
      if (places.length > 1 && !replaceAll) throw toolFailure(describeSeveral(text, places, path));
      const added = Buffer.byteLength(edit.newText) - Buffer.byteLength(edit.oldText);
      const size = stats.size + places.length * added;
      // Reckoned before it is made: a text of that size may not fit into the memory.
      if (size > MOST_BYTES)
        throw toolFailure(
          `${path} would become too large: ${size} bytes. The limit is ${MOST_BYTES} bytes. Nothing was changed.`,
        );
      const bytes = Buffer.from(replaceAt(text, places, edit));
      await replaceFile(folder, { name, path, bytes, madeFrom: stats }, signal);
      return places.length;
    });
    return `Replaced ${count === 1 ? '1 occurrence' : `${count} occurrences`} in ${path}.`;
  },
};

interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

interface EditArguments extends Edit {
  readonly path: string;
  readonly replaceAll?: boolean;
}

/** Models write line feeds. In a file whose lines end otherwise they mean its line ends. */
function adaptLineEnds(text: string, edit: Edit): Edit {
  const windows = text.match(/\r\n/g)?.length ?? 0;
  if (windows === 0 || windows < (text.match(/\n/g)?.length ?? 0) / 2) return edit;
  const adapt = (part: string) => part.replaceAll(/(?<!\r)\n/g, '\r\n');
  const oldText = text.includes(edit.oldText) ? edit.oldText : adapt(edit.oldText);
  return { oldText, newText: adapt(edit.newText) };
}

function findPlaces(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function replaceAt(text: string, places: readonly number[], { oldText, newText }: Edit): string {
  const parts: string[] = [];
  let end = 0;
  for (const place of places) {
    parts.push(text.slice(end, place), newText);
    end = place + oldText.length;
  }
  return parts.join('') + text.slice(end);
}

function describeMissing(text: string, path: string, wanted: string): string {
  const squeeze = (part: string) => part.replaceAll(/\s+/g, ' ').trim();
  const isNear = squeeze(wanted) !== '' && squeeze(text).includes(squeeze(wanted));
  const why = isNear ? ' Only its spaces or line ends differ.' : '';
  return `${path} does not have the text oldText.${why} Nothing was changed. Read the file and copy the passage exactly.`;
}

function describeSeveral(text: string, places: readonly number[], path: string): string {
  let line = 1;
  let from = 0;
  const lines = places.slice(0, MOST_PLACES).map((place) => {
    line += text.slice(from, place).split('\n').length - 1;
    from = place;
    return line;
  });
  const more = places.length > MOST_PLACES ? ', …' : '';
  return `The text oldText occurs ${places.length} times in ${path} (lines ${lines.join(', ')}${more}). Nothing was changed. Add lines around it until it occurs once, or set replaceAll.`;
}

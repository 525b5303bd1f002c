import { type Tool, toolFailure } from './contract.ts';
import { rootOf, withFile } from './workspace.ts';

const MOST_BYTES_READ = 10 * 1024 * 1024;
const MOST_LINES = 2000;
const MOST_CHARACTERS = 50_000;

export const readFile: Tool = {
  name: 'read_file',
  description: `Reads a text file of the workspace: at most ${MOST_LINES} lines or ${MOST_CHARACTERS} characters at a time.`,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the workspace.' },
      offset: { type: 'integer', minimum: 1, description: 'The first line to read, counted from 1.' },
      limit: { type: 'integer', minimum: 1, description: 'How many lines to read.' },
    },
    required: ['path'],
  },
  changes: false,
  run: ({ path, offset = 1, limit = MOST_LINES }, context) =>
    withFile(rootOf(context, path as string), path as string, async (handle, { size }) => {
      if (size > MOST_BYTES_READ)
        throw toolFailure(
          `${path} is too large to be read: ${size} bytes. The limit is ${MOST_BYTES_READ} bytes.`,
        );
      const bytes = await handle.readFile({ signal: context.signal });
      if (bytes.includes(0)) throw toolFailure(`${path} is not a text file.`);
      return selectLines(bytes.toString('utf8'), offset as number, Math.min(limit as number, MOST_LINES));
    }),
};

function selectLines(text: string, offset: number, limit: number): string {
  if (text === '') return '(the file is empty)';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (offset > lines.length) throw toolFailure(`The file has ${lines.length} lines, fewer than ${offset}.`);
  let end = offset - 1;
  let characters = 0;
  while (end < lines.length && end - offset + 1 < limit) {
    characters += lines[end]!.length + 1;
    if (characters > MOST_CHARACTERS && end >= offset) break;
    end++;
  }
  const shown = lines.slice(offset - 1, end).join('\n');
  const cut = shown.length > MOST_CHARACTERS ? cutAt(shown, MOST_CHARACTERS) : shown;
  const notes: string[] = [];
  if (cut !== shown) notes.push(`[Line ${offset} is longer: ${shown.length} characters.]`);
  if (end < lines.length)
    notes.push(`[Lines ${offset} to ${end} of ${lines.length}. To read on: offset ${end + 1}.]`);
  return [cut, ...notes].join('\n');
}

/** Without half a character at the end. */
function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

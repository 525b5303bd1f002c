import { type Tool, toolFailure } from './contract.ts';
import { replaceFile } from './replace-file.ts';
import { withFolderOf } from './workspace.ts';

const MOST_BYTES_WRITTEN = 5 * 1024 * 1024;

export const writeFile: Tool = {
  name: 'write_file',
  description:
    'Writes a text file of the workspace, in the place of what it held before. Makes the folders that are missing.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the workspace.' },
      content: { type: 'string', description: 'What the file holds afterwards.' },
    },
    required: ['path', 'content'],
  },
  changes: true,
  run: async ({ path, content }, { workspaceDir, signal }) => {
    const bytes = Buffer.from(content as string);
    if (bytes.length > MOST_BYTES_WRITTEN)
      throw toolFailure(
        `The content is too large: ${bytes.length} bytes. The limit is ${MOST_BYTES_WRITTEN} bytes.`,
      );
    const wasThere = await withFolderOf(workspaceDir, path as string, { make: true }, (folder, name) =>
      replaceFile(folder, { name, path: path as string, bytes }, signal),
    );
    return `Wrote ${bytes.length} bytes to ${path}${wasThere ? ', in the place of its old content' : ''}.`;
  },
};

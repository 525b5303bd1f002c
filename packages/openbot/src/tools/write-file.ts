import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '@openbot/sessions/disk';
import { type Tool, toolFailure } from './contract.ts';
import { splitPath, withFolder } from './workspace.ts';

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
    const { folder, name } = await splitPath(workspaceDir, path as string);
    return withFolder(workspaceDir, folder, { make: true }, async (folder) => {
      const target = join(folder.path, name);
      const old = await lstat(target).catch(() => undefined);
      if (old?.isDirectory()) throw toolFailure(`${path} is a folder.`);
      if (old !== undefined && !old.isFile()) throw toolFailure(`${path} is not a regular file.`);
      signal.throwIfAborted();
      await writeFileAtomic(target, bytes, { mode: 0o666 });
      if (old !== undefined) await restoreMode(target, old.mode & 0o777);
      return `Wrote ${bytes.length} bytes to ${path}${old === undefined ? '' : ', in the place of its old content'}.`;
    });
  },
};

/** An atomic write makes files private, as the state of this program is. Those of the workspace are the person's. */
async function restoreMode(path: string, mode: number): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  try {
    await handle?.chmod(mode);
  } finally {
    await handle?.close();
  }
}

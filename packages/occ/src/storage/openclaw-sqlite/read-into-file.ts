import { type OpenclawDatabase, readOpenclawDatabase } from '@openbot/sessions/openclaw-database';
import { UnnamedFile } from './unnamed-file.ts';

/**
 * Reads from a database into a new file, which is then on disk and has yet to get its name. Where the database has to be
 * read again the file is begun anew, and where that fails there is none.
 */
export function readIntoFile<T>(
  database: string,
  path: string,
  read: (open: OpenclawDatabase, file: UnnamedFile) => T,
): { readonly file: UnnamedFile; readonly result: T } {
  let file: UnnamedFile | undefined;
  try {
    const result = readOpenclawDatabase(database, (open) => {
      file?.drop();
      file = new UnnamedFile(path);
      return read(open, file);
    });
    file!.sync();
    return { file: file!, result };
  } catch (error) {
    file?.drop();
    throw error;
  }
}

/** Prints who uses a session. */
import { findUse } from '../../../src/session-file/in-use.ts';

console.log(JSON.stringify(await findUse(process.argv[2]!)));

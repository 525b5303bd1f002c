/** Prints who uses a session. */
import { findUse } from '../../../src/in-use/find-use.ts';

console.log(JSON.stringify(await findUse(process.argv[2]!)));

#!/usr/bin/env node
/** `cst`: see `program.ts`. */
import { isOwnScript } from './called-as.ts';
import { runCst } from './program.ts';
import { leaveQuietly, processTerminal } from './terminal.ts';

// `npm run` starts scripts in the package's folder; paths are meant from where the user stands.
const startedIn = process.env['INIT_CWD'];
if (isOwnScript() && startedIn !== undefined) process.chdir(startedIn);

leaveQuietly(process.stdout);
process.exitCode = await runCst(process.argv.slice(2), processTerminal());

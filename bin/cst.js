#!/usr/bin/env node
// The program is TypeScript as it stands: tsx reads it, nothing is built.
import { register } from 'tsx/esm/api';

register();
await import('../harness/cli/main.ts');

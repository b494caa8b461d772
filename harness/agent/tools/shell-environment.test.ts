import { describe, expect, it } from 'vitest';
import { shellEnvironment } from './shell-environment.ts';

describe('the environment of shell', () => {
  it('holds what programs need to find their way', () => {
    const variables = { PATH: '/bin', HOME: '/home/a', LANG: 'C', LC_ALL: 'C', TERM: 'xterm', XDG_CACHE_HOME: '/c' };
    expect(shellEnvironment(variables)).toEqual(variables);
  });

  it('holds nothing else, and no name that looks like a secret', () => {
    const variables = {
      PATH: '/bin',
      CST_API_KEY: 'a',
      GITHUB_TOKEN: 'b',
      DATABASE_URL: 'postgres://user:word@host',
      HTTP_PROXY: 'http://user:word@host',
      LC_API_KEY: 'c',
      XDG_session_token: 'd',
      EMPTY: undefined,
    };
    expect(shellEnvironment(variables)).toEqual({ PATH: '/bin' });
  });

  it('holds what the user allows by name', () => {
    const variables = { PATH: '/bin', HTTP_PROXY: 'http://host', NPM_TOKEN: 'a', OTHER_TOKEN: 'b' };
    expect(shellEnvironment(variables, { allow: ['HTTP_PROXY', 'NPM_TOKEN', 'NOT_SET'] })).toEqual({
      PATH: '/bin',
      HTTP_PROXY: 'http://host',
      NPM_TOKEN: 'a',
    });
  });

  it("never holds the model's key, under whatever name it stands", () => {
    const variables = { PATH: '/bin', LC_NOTE: 'sk-12345', MY_MODEL: 'Bearer sk-12345', TERM: 'xterm' };
    const options = { allow: ['MY_MODEL'], secrets: ['sk-12345', ''] };
    expect(shellEnvironment(variables, options)).toEqual({ PATH: '/bin', TERM: 'xterm' });
  });

  it('keeps what a value that is too short for a key is found in', () => {
    const variables = { PATH: '/bin', LINES: '1', COLUMNS: '100' };
    expect(shellEnvironment(variables, { secrets: ['1'] })).toEqual({ PATH: '/bin', COLUMNS: '100' });
  });
});

/** Where the server listens: loopback unless it was asked for otherwise. */
import type { Server } from 'node:http';
import { type AddressInfo, BlockList, isIP } from 'node:net';
import { ServeError } from './serve-error.ts';

export interface Address {
  /** Name or IP address. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine reaches the host. A name other than `localhost` may be anything. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Returns the port. Throws `ServeError` if the server cannot listen there. */
export async function listen(server: Server, { host, port }: Address): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(listenError(error, { host, port }));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** `http://127.0.0.1:8080` */
export function originOf({ host, port }: Address): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

function listenError(error: NodeJS.ErrnoException, { host, port }: Address): Error {
  const what = LISTEN_ERRORS[error.code ?? '']?.(host, port);
  return what === undefined ? error : new ServeError('option', what);
}

const LISTEN_ERRORS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `port ${port} of ${host} is in use: choose another, or 0 for any free one`,
  EACCES: (host, port) => `port ${port} of ${host} is not allowed: choose one from 1024 on, or 0 for any free one`,
  EADDRNOTAVAIL: (host) => `${host} is no address of this machine: 127.0.0.1 always is`,
  ENOTFOUND: (host) => `${host} is no host that is known here: 127.0.0.1 always is`,
  EAI_AGAIN: (host) => `${host} is no host that is known here: 127.0.0.1 always is`,
};

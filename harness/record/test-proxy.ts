/** What the tests of the proxy share: one proxy or several in front of servers, all ended and removed after each test. */
import { type Dispatcher, request } from 'undici';
import type { SuiteWriter } from '../replay/suite-writer.ts';
import { LOOPBACK_HOST } from '../serve/server.ts';
import { chatBody, until } from '../serve/test-server.ts';
import { type ProxyExchange, type ProxyOptions, type RunningProxy, startProxy } from './proxy.ts';
import { type StoreOptions, SuiteStore } from './proxy-store.ts';
import { ModelServers, TestSuites } from './test-record.ts';

type TestOptions = Partial<ProxyOptions & StoreOptions> & { readonly writer?: Pick<SuiteWriter, 'add'> };

export class TestProxies extends ModelServers {
  readonly suites = new TestSuites();
  /** What has ended, in that order. */
  readonly seen: ProxyExchange[] = [];
  readonly warnings: string[] = [];
  readonly #proxies: RunningProxy[] = [];
  #writer: SuiteWriter | null = null;

  async to(target: string, { writer, ...options }: TestOptions = {}): Promise<RunningProxy> {
    this.#writer ??= await this.suites.open();
    const store = { protocol: 'ctl', provider: null, redact: false, keepLimit: 64 * 1024 * 1024 } as const;
    const proxy = await startProxy({
      target: new URL(target),
      store: new SuiteStore(writer ?? this.#writer, { ...store, ...options }),
      ...{ host: LOOPBACK_HOST, port: 0, taskFrom: 'header' },
      ...options,
      observer: {
        ended: (exchange) => this.seen.push(exchange),
        warned: (warning) => this.warnings.push(warning),
      },
    });
    this.#proxies.push(proxy);
    return proxy;
  }

  /** Waits for so many exchanges to have ended and been stored. */
  async settled(count = 1): Promise<void> {
    await until(() => this.seen.length >= count);
  }

  async end(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.stop();
    await this.#writer?.close();
    this.suites.remove();
  }
}

export function ask(
  { url }: RunningProxy,
  headers: Record<string, string> = {},
  body = chatBody('s/t01'),
): Promise<Dispatcher.ResponseData> {
  return request(`${url}/v1/chat/completions`, { method: 'POST', body, headers });
}

export async function bytesOf({ body }: Dispatcher.ResponseData): Promise<Buffer> {
  return Buffer.from(await body.arrayBuffer());
}

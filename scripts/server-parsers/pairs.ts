/** What is put to the test: parsers of servers by the dialect that they read, and how the text reaches them. */
import type { Dialect } from '../../harness/parsers/protocols.ts';

export interface Pair {
  readonly server: 'sglang' | 'vllm';
  /** As the server calls it: `--tool-call-parser`. */
  readonly parser: string;
  readonly dialect: Dialect;
  /** deepseek has two forms, by version of the model, and each parser reads one. */
  readonly form?: 'plain' | 'fenced';
}

/** The same table is in servers.py. vLLM reads harmony by token ids of the real vocabulary: not run. */
export const PAIRS: readonly Pair[] = [
  { server: 'sglang', parser: 'hermes', dialect: 'hermes' },
  { server: 'sglang', parser: 'qwen25', dialect: 'hermes' },
  { server: 'vllm', parser: 'hermes', dialect: 'hermes' },
  { server: 'sglang', parser: 'qwen3_coder', dialect: 'qwen-xml' },
  { server: 'vllm', parser: 'qwen3_coder', dialect: 'qwen-xml' },
  { server: 'sglang', parser: 'glm45', dialect: 'glm' },
  { server: 'sglang', parser: 'glm47', dialect: 'glm' },
  { server: 'vllm', parser: 'glm45', dialect: 'glm' },
  { server: 'sglang', parser: 'deepseekv3', dialect: 'deepseek', form: 'fenced' },
  { server: 'sglang', parser: 'deepseekv31', dialect: 'deepseek', form: 'plain' },
  { server: 'vllm', parser: 'deepseek_v3', dialect: 'deepseek', form: 'fenced' },
  { server: 'vllm', parser: 'deepseek_v31', dialect: 'deepseek', form: 'plain' },
  { server: 'sglang', parser: 'kimi_k2', dialect: 'kimi' },
  { server: 'vllm', parser: 'kimi_k2', dialect: 'kimi' },
  { server: 'sglang', parser: 'gpt-oss', dialect: 'harmony' },
];

/** `token`: a token a step; `delta`: the deltas of the stream, most crafted ones in one. See server_parser.py. */
export const FEEDS = ['token', 'delta'] as const;
export type Feed = (typeof FEEDS)[number];

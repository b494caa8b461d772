"""One answer of a server, from text to tool-call deltas: the same calls as its chat endpoint makes, in the same order.

A delta is (index, id, name, arguments); what a delta has not is None.
"""
import json
import os
from pathlib import Path

from without_torch import make_importable

# parser of the server -> dialect (`cst check --protocol`)
SGLANG = {
    'hermes': 'hermes', 'qwen25': 'hermes', 'qwen3_coder': 'qwen-xml', 'glm45': 'glm', 'glm47': 'glm',
    'deepseekv3': 'deepseek', 'deepseekv31': 'deepseek', 'kimi_k2': 'kimi', 'gpt-oss': 'harmony',
}
# No `openai`: what vLLM reads harmony with takes token ids of the real vocabulary.
VLLM = {
    'hermes': 'hermes', 'qwen3_coder': 'qwen-xml', 'glm45': 'glm', 'deepseek_v3': 'deepseek',
    'deepseek_v31': 'deepseek', 'kimi_k2': 'kimi',
}
DIALECTS = {'sglang': SGLANG, 'vllm': VLLM}


def open_server(server, parser, tools):
    """A function that opens one answer. `tools`: the functions of the request, as [{name, parameters}]."""
    folder = Path(os.environ['SERVER_PACKAGES'])
    make_importable(folder, server)
    return (open_sglang if server == 'sglang' else open_vllm)(parser, tools)


def open_sglang(parser, functions):
    from sglang.srt.entrypoints.openai.protocol import Tool
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    tools = [Tool(type='function', function=function) for function in functions]
    return lambda tokenizer: SglangAnswer(FunctionCallParser(tools, parser), parser)


class SglangAnswer:
    """sglang/srt/entrypoints/openai/serving_chat.py: `_process_tool_call_stream`, `_check_for_unstreamed_tool_args`."""

    def __init__(self, parser, name):
        self.parser = parser
        self.has_ids = name == 'kimi_k2'

    def feed(self, text, ids):
        return self.deltas(self.parser.parse_stream_chunk(text)[1])

    def finish(self):
        # The last step of the engine has the token of the end and no text.
        deltas = self.feed('', []) + self.deltas(self.parser.parse_stream_end()[1])
        return deltas + self.unstreamed()

    def deltas(self, items):
        return [(item.tool_index, self.id_of(item), item.name, item.parameters) for item in items]

    def id_of(self, item):
        return f'functions.{item.name}:{item.tool_index}' if self.has_ids and item.name else None

    def unstreamed(self):
        """What the last call has by the parser's state and not by its deltas, if the one begins with the other."""
        detector = self.parser.detector
        known, sent = detector.prev_tool_call_arr, detector.streamed_args_for_tool
        last = len(known) - 1
        if last < 0 or last >= len(sent):
            return []
        arguments = known[last].get('arguments', {})
        whole = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        return [(last, None, None, whole.removeprefix(sent[last]))] if whole.startswith(sent[last]) else []


def open_vllm(parser, functions):
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager

    parser_class = ParserManager.get_parser(tool_parser_name=parser, enable_auto_tools=True)
    tools = [{'type': 'function', 'function': function} for function in functions]
    request = ChatCompletionRequest(model='m', messages=[], tools=tools, tool_choice='auto')
    return lambda tokenizer: VllmAnswer(parser_class(tokenizer, request.tools), request, parser)


class VllmAnswer:
    """vllm/entrypoints/openai/chat_completion/stream_processor.py: `step`."""

    def __init__(self, parser, request, name):
        self.parser = parser
        self.request = request
        self.has_ids = name == 'kimi_k2'

    def feed(self, text, ids, finished=False):
        delta = self.parser.parse_delta(text, ids, self.request, prompt_token_ids=[], finished=finished)
        calls = (delta.tool_calls or []) if delta else []
        return [
            (call.index, self.id_of(call), call.function.name, call.function.arguments)
            for call in calls
            if call.function
        ]

    def id_of(self, call):
        # An id that is not the model's is drawn at random.
        return call.id if self.has_ids and call.id and not call.id.startswith('chatcmpl-tool-') else None

    def finish(self):
        # The last step of the engine has the token of the end and no text.
        return self.feed('', [], finished=True)

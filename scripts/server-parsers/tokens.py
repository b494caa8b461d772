"""A tokenizer of two kinds of tokens: the markers of a dialect, and single characters.

It stands in for the model's tokenizer, which is no part of a server's wheel: like there, a marker is one token, and
arrives whole. Other text is cut finer than by any model.
"""

# What is one special token in the vocabulary of the models that write the dialect (their tokenizer_config.json).
MARKERS = {
    'hermes': ['<tool_call>', '</tool_call>', '<think>', '</think>'],
    'qwen-xml': ['<tool_call>', '</tool_call>', '<think>', '</think>'],
    'glm': [
        '<tool_call>', '</tool_call>', '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>', '<think>', '</think>',
    ],
    'deepseek': [
        '<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>', '<｜tool▁sep｜>',
        '<think>', '</think>',
    ],
    'kimi': [
        '<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', '<|tool_call_begin|>', '<|tool_call_end|>',
        '<|tool_call_argument_begin|>', '<think>', '</think>',
    ],
    'harmony': ['<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|constrain|>', '<|return|>', '<|call|>'],
}
# Ids of markers start behind the characters: the id of a character is its code point.
FIRST_MARKER = 0x110000


class Tokenizer:
    def __init__(self, dialect):
        self.markers = MARKERS[dialect]
        self.all_special_tokens = self.markers
        self.all_special_ids = [FIRST_MARKER + i for i in range(len(self.markers))]
        self.vocab = dict(zip(self.markers, self.all_special_ids))

    def get_vocab(self):
        return self.vocab

    def cut(self, text):
        """The tokens of a text, and the rest of it that may become a marker."""
        tokens, at = [], 0
        while at < len(text):
            rest = text[at:at + MOST_MARKER]
            if rest[0] == '<':
                marker = next((marker for marker in self.markers if rest.startswith(marker)), None)
                if marker is None and any(marker.startswith(rest) for marker in self.markers):
                    return tokens, text[at:]
            else:
                marker = None
            tokens.append(marker or rest[0])
            at += len(tokens[-1])
        return tokens, ''

    def id_of(self, token):
        return self.vocab[token] if token in self.vocab else ord(token)

    def encode(self, text, add_special_tokens=False, **_):
        tokens, rest = self.cut(text)
        return [self.id_of(token) for token in [*tokens, *rest]]

    def decode(self, ids, **_):
        return ''.join(self.markers[i - FIRST_MARKER] if i >= FIRST_MARKER else chr(i) for i in ids)


MOST_MARKER = max(len(marker) for markers in MARKERS.values() for marker in markers)

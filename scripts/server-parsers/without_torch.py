"""Imports the tool parsers of vLLM and SGLang from unpacked wheels, without torch, CUDA, or an engine.

A package whose `__init__` starts half the server is *hollow*: its modules can be imported, its `__init__` does not run.
A module that is not installed is *absent*: any name in it can be imported, and none does anything. Both are named here,
and nothing else is replaced: an import that fails beside these is an error.
"""
import importlib.abc
import importlib.machinery
import sys
import types
from unittest.mock import MagicMock

HOLLOW = {
    'sglang': ['sglang', 'sglang.srt', 'sglang.srt.utils'],
    'vllm': ['vllm'],
}

# Not installed: compiled code, models, and what the servers use far from their parsers.
ABSENT_PACKAGES = {
    'torch', 'torchvision', 'torchaudio', 'triton', 'xgrammar', 'llguidance', 'outlines_core', 'lmformatenforcer',
    'compressed_tensors', 'flashinfer', 'numba', 'ray', 'zmq', 'gguf', 'PIL', 'cv2', 'mistral_common', 'sentencepiece',
    'tiktoken', 'scipy', 'einops', 'blake3', 'diskcache', 'lark', 'depyf', 'watchfiles', 'setproctitle', 'uvloop',
    'uvicorn', 'prometheus_client', 'prometheus_fastapi_instrumentator', 'anthropic', 'cpuinfo', 'pynvml', 'cbor2',
    'IPython', 'python_json_logger', 'six', 'importlib_metadata',
}
# Parts of vLLM that parsers import for a type or a flag, and that want torch themselves.
ABSENT_MODULES = (
    'vllm.parser.mistral', 'vllm.config', 'vllm.distributed', 'vllm.utils.torch_utils', 'vllm.model_executor', 'vllm.platforms',
    'vllm.multimodal', 'vllm.lora', 'vllm.v1', 'vllm.inputs', 'vllm.outputs', 'vllm.transformers_utils',
)


class AbsentModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        # A name in capitals may be a base class or a field of a pydantic model; anything else may be called.
        any_value = classmethod(lambda cls, source, handler: {'type': 'any'})
        value = type(name, (), {'__get_pydantic_core_schema__': any_value}) if name[0].isupper() else MagicMock(name=name)
        setattr(self, name, value)
        return value


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        is_absent = name.split('.')[0] in ABSENT_PACKAGES
        is_absent = is_absent or any(name == module or name.startswith(module + '.') for module in ABSENT_MODULES)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_absent else None

    def create_module(self, spec):
        return AbsentModule(spec.name)

    def exec_module(self, module):
        pass


def make_importable(folder, server):
    """`folder` holds the unpacked package `server` ('sglang' or 'vllm')."""
    sys.path.insert(0, str(folder))
    for name in HOLLOW[server]:
        module = types.ModuleType(name)
        module.__path__ = [str(folder / name.replace('.', '/'))]
        sys.modules[name] = module
    sys.meta_path.insert(0, AbsentFinder())

"""llama-cpp-python's server, with weights left as they are in the file: `python serve.py --model FILE ...`

Repacked weights are computed with AMX instructions where the processor has them, and that code crashes on some machines
(ggml-org/llama.cpp, pull request 26954). The server has no option for it.
"""

import runpy

from llama_cpp import llama_cpp

defaults = llama_cpp.llama_model_default_params


def without_repacking():
    params = defaults()
    params.use_extra_bufts = False
    return params


llama_cpp.llama_model_default_params = without_repacking
runpy.run_module("llama_cpp.server", run_name="__main__", alter_sys=True)

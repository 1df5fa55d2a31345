"""One description per model family.

To add a family, write its file and list it here: the list is the order of the registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cohere import COHERE
from .deepseek_calls import DEEPSEEK_R1, DEEPSEEK_V3_1
from .deepseek_dsml import DEEPSEEK_V3_2, DEEPSEEK_V4, DEEPSEEK_V4_1
from .ernie_4_5 import ERNIE_4_5
from .exaone import EXAONE
from .gemma_4 import GEMMA_4
from .glm_4_7 import GLM_4_7
from .harmony import HARMONY
from .hermes import HERMES
from .internlm import INTERNLM
from .json_lists import GRANITE, HUNYUAN, MISTRAL_V7, PHI4_MINI
from .kimi import KIMI
from .kimi_k3 import KIMI_K3
from .llama import LLAMA
from .llama4_pythonic import LLAMA4_PYTHONIC
from .longcat import LONGCAT
from .mimo import MIMO
from .minimax import MINIMAX
from .minimax_m3 import MINIMAX_M3
from .mistral import MISTRAL
from .pythonic import LFM2, OLMO_3
from .qwen_3 import QWEN_3
from .qwen_3_5 import QWEN_3_5
from .qwen_xml import NEMOTRON_V3, SEED_OSS
from .step3 import STEP_3

if TYPE_CHECKING:
    from xgrammar.models.format import ModelFormat

__all__ = ["FAMILIES"]

FAMILIES: tuple[ModelFormat, ...] = (
    LLAMA,
    KIMI,
    KIMI_K3,
    DEEPSEEK_R1,
    DEEPSEEK_V3_1,
    QWEN_3_5,
    MIMO,
    QWEN_3,
    HARMONY,
    DEEPSEEK_V3_2,
    MINIMAX,
    MINIMAX_M3,
    GLM_4_7,
    GEMMA_4,
    DEEPSEEK_V4,
    DEEPSEEK_V4_1,
    COHERE,
    EXAONE,
    HERMES,
    MISTRAL,
    MISTRAL_V7,
    GRANITE,
    SEED_OSS,
    ERNIE_4_5,
    HUNYUAN,
    LONGCAT,
    PHI4_MINI,
    NEMOTRON_V3,
    INTERNLM,
    LLAMA4_PYTHONIC,
    OLMO_3,
    LFM2,
    STEP_3,
)

"""One description per model family.

To add a family, write its file and list it here: the list is the order of the registry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .cohere import COHERE
from .deepseek_calls import DEEPSEEK_R1, DEEPSEEK_V3_1
from .deepseek_dsml import DEEPSEEK_V3_2, DEEPSEEK_V4, DEEPSEEK_V4_1
from .exaone import EXAONE
from .gemma_4 import GEMMA_4
from .glm_4_7 import GLM_4_7
from .harmony import HARMONY
from .kimi import KIMI
from .kimi_k3 import KIMI_K3
from .llama import LLAMA
from .mimo import MIMO
from .minimax import MINIMAX
from .minimax_m3 import MINIMAX_M3
from .qwen_3 import QWEN_3
from .qwen_3_5 import QWEN_3_5

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
)

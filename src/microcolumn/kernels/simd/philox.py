"""Counter-based random numbers on lanes: Philox4x32-10 (Salmon et al. 2011, SC'11).

A draw is a pure function of a key (the seed) and a counter (chain, sweep, site, stream). Chains
therefore own independent streams by construction, nothing is carried between calls, and results
do not depend on the number of threads. The 32-bit words live in 64-bit lanes because the
machine's widening vector multiply is 32 x 32 -> 64.
"""

import numpy as np

from ..compile import subroutine
from .lanes import reinterpret

_MULTIPLIER_0, _MULTIPLIER_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL_0, _WEYL_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW_WORD = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)
_ROUNDS = 10
# A uniform takes 52 bits as the mantissa of a number in [1, 2) and moves it down to (0, 1).
_BITS_OF_ONE = np.uint64(0x3FF0000000000000)
_EXTRA_BITS, _EXTRA_MASK = np.uint64(20), np.uint64(0xFFFFF)
_ONE_LESS_HALF_STEP = 1.0 - 2.0**-53


# Four random 32-bit words per lane from counter rows c0..c3 and the scalar key words k0, k1.
# Cost per row: 10 rounds of 2 multiplies, 2 shifts and 4 xors (2 three-way ones on AVX-512).
# Pinned by tests/kernels/simd/test_philox.py::test_blocks_match_the_published_known_answers.
@subroutine
def philox4x32(c0, c1, c2, c3, k0, k1):
    """Philox4x32-10 of rows of 32-bit words held in unsigned 64-bit lanes.

    Bits of the counter above the lowest 32 are ignored; the key words are below 2**32.
    """
    for _ in range(_ROUNDS):
        # The masks tell the compiler that a 32-bit multiply will do. Nothing else needs them:
        # bits above the low words change no result.
        product0 = (c0 & _LOW_WORD) * _MULTIPLIER_0
        product1 = (c2 & _LOW_WORD) * _MULTIPLIER_1
        c0 = (product1 >> _WORD_BITS) ^ c1 ^ k0
        c2 = (product0 >> _WORD_BITS) ^ c3 ^ k1
        c1 = product1
        c3 = product0
        k0 = (k0 + _WEYL_0) & _LOW_WORD
        k1 = (k1 + _WEYL_1) & _LOW_WORD
    return c0 & _LOW_WORD, c1 & _LOW_WORD, c2 & _LOW_WORD, c3 & _LOW_WORD


@subroutine
def _uniform(word, extra):
    """Odd multiple of 2**-53 in (0, 1): 32 bits from ``word``, the 20 below them from ``extra``."""
    bits = (word << _EXTRA_BITS) | (extra & _EXTRA_MASK)
    in_one_to_two = reinterpret(bits | _BITS_OF_ONE, np.float64)
    return in_one_to_two - _ONE_LESS_HALF_STEP


# Four uniforms per lane in the open interval (0, 1), each of 52 bits, from one Philox block.
# Cost per row: the block and 4 x 5 operations.
# Pinned by tests/kernels/simd/test_philox.py::test_uniforms_are_built_from_the_words_of_a_block.
@subroutine
def uniforms(c0, c1, c2, c3, k0, k1):
    """Four rows of uniforms in (0, 1); neither end occurs, and 1 - u is exact.

    Each owns one word of the block as its 32 leading bits. The 20 bits below come from the low
    end of the next word: every uniform has 52 random bits (probabilities far below 2**-32 come
    out right), and two uniforms of a block are dependent only in digits that decide one
    comparison in 2**32.
    """
    w0, w1, w2, w3 = philox4x32(c0, c1, c2, c3, k0, k1)
    return _uniform(w0, w1), _uniform(w1, w2), _uniform(w2, w3), _uniform(w3, w0)

/* The differences between the two releases; see release.h. Texts and codes are those that NVIDIA's
 * libraries 12.9.86 and 13.5.37 gave for the same calls (tests/nvjitlink/answers). */
#include "nvjitlink/release.h"

#if NVJITLINK_MAJOR == 12

const struct jit_release jit_release = {
    .major = 12,
    .minor = 9,
    .output_abi = 7,
    .soname = "libnvJitLink.so.12",
    .end_of_errors = "finish",
    .no_lto_ir = "ERROR in nvvmCompileProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM\n",
    /* The word TODO is NVIDIA's. */
    .lto_not_enabled = "ERROR 1: TODO: nvvm input without LTO\n",
};

nvJitLinkResult jit_release_result(nvJitLinkResult result)
{
    switch (result) {
    case NVJITLINK_ERROR_NULL_INPUT:
    case NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS:
    case NVJITLINK_ERROR_INCORRECT_INPUT_TYPE:
    case NVJITLINK_ERROR_ARCH_MISMATCH:
    case NVJITLINK_ERROR_UNRECOGNIZED_ARCH:
    case NVJITLINK_ERROR_UNSUPPORTED_ARCH:
        return NVJITLINK_ERROR_INVALID_INPUT;
    case NVJITLINK_ERROR_LTO_NOT_ENABLED:
        return NVJITLINK_ERROR_INTERNAL;
    default:
        return result;
    }
}

#else

const struct jit_release jit_release = {
    .major = 13,
    .minor = 5,
    .checks_architecture = true,
    .times_additions = true,
    .soname = "libnvJitLink.so.13",
    .end_of_errors = "complete",
    .no_lto_ir = "ERROR NVVM_ERROR_NO_MODULE_IN_PROGRAM (8) in nvvmCompileProgram callback\n",
    .lto_not_enabled = "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)\n",
};

nvJitLinkResult jit_release_result(nvJitLinkResult result)
{
    return result;
}

#endif

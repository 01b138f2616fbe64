/* Finds the libraries of link-time optimisation. */
#ifndef WARPLD_COMPILE_FIND_OPTIMISER_H
#define WARPLD_COMPILE_FIND_OPTIMISER_H

#include "base/arena.h"

/* What the user chose, and where to search. A field that is not set is NULL. */
struct optimiser_settings {
    /* Path of the only nvJitLink to use; NULL if one is to be searched for. */
    const char *nvjitlink;
    const char *nvvm_folder;     /* value of the option -nvvmpath */
    const char *toolkits[2];     /* values of CUDA_HOME and CUDA_PATH */
    const char *environments[2]; /* values of VIRTUAL_ENV and CONDA_PREFIX */
    const char *own_folder;      /* folder of the program or library that links */
    const char *library_path;    /* value of LD_LIBRARY_PATH: folders, separated by colons */
};

enum optimiser_library { OPTIMISER_NVJITLINK, OPTIMISER_NVVM };

/* Returns the path of NVIDIA's library, in the arena, or NULL. Ignores libraries of warpld that
 * have the same name. */
const char *find_optimiser(struct arena *arena, const struct optimiser_settings *settings,
                           enum optimiser_library library);

/* The patterns that find_optimiser tries, separated by commas. */
const char *optimiser_places(struct arena *arena, const struct optimiser_settings *settings,
                             enum optimiser_library library);

#endif

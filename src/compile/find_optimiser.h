/* Finds the libraries of link-time optimisation. */
#ifndef WARPLD_COMPILE_FIND_OPTIMISER_H
#define WARPLD_COMPILE_FIND_OPTIMISER_H

#include "base/arena.h"

/* What the user chose and where to look; NULL for what is not set. */
struct optimiser_settings {
    const char *nvjitlink;       /* the only nvJitLink to use; NULL: it is searched for */
    const char *nvvm_folder;     /* the option -nvvmpath */
    const char *toolkits[2];     /* CUDA_HOME, CUDA_PATH */
    const char *environments[2]; /* VIRTUAL_ENV, CONDA_PREFIX */
    const char *own_folder;      /* of the program or library that links */
    const char *library_path;    /* folders, separated by colons: LD_LIBRARY_PATH */
};

enum optimiser_library { OPTIMISER_NVJITLINK, OPTIMISER_NVVM };

/* Returns the path of NVIDIA's library, in the arena, or NULL. A library of warpld with the same
 * name is passed over. */
const char *find_optimiser(struct arena *arena, const struct optimiser_settings *settings,
                           enum optimiser_library library);

/* The patterns that find_optimiser tries, separated by commas. */
const char *optimiser_places(struct arena *arena, const struct optimiser_settings *settings,
                             enum optimiser_library library);

#endif

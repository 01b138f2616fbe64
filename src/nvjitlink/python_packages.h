/* If a Python program has loaded this library, finds the folder of the program's packages. */
#ifndef WARPLD_NVJITLINK_PYTHON_PACKAGES_H
#define WARPLD_NVJITLINK_PYTHON_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the path of the folder site-packages (or dist-packages) from which an extension module is
 * loaded. Returns false if there is none, or if `size` is too small. */
bool find_python_packages(char *folder, size_t size);

#endif

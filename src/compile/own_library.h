/* Distinguishes NVIDIA's libraries from warpld's libraries of the same name. Several copies of
 * warpld's library may be installed. If one copy took another copy for NVIDIA's library, warpld's
 * code would call itself without end. */
#ifndef WARPLD_COMPILE_OWN_LIBRARY_H
#define WARPLD_COMPILE_OWN_LIBRARY_H

/* A section that libnvJitLink.so.12 and .13 of warpld have. It can be read without loading the
 * library, and adds no exported name. */
#define OWN_LIBRARY_SECTION ".warpld.nvjitlink"

enum library_kind { NO_LIBRARY, OWN_LIBRARY, OTHER_LIBRARY };

/* The kind of the file. NO_LIBRARY: it is not a shared library for a 64-bit machine. */
enum library_kind library_kind(const char *path);

#endif

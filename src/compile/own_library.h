/* Distinguishes NVIDIA's libraries from ours of the same name, of which several may be installed:
 * one of ours that used another one as NVIDIA's would call itself without end. */
#ifndef WARPLD_COMPILE_OWN_LIBRARY_H
#define WARPLD_COMPILE_OWN_LIBRARY_H

/* A section that libnvJitLink.so.12 and .13 of warpld have. It can be read without loading the
 * library, and adds no exported name. */
#define OWN_LIBRARY_SECTION ".warpld.nvjitlink"

enum library_kind { NO_LIBRARY, OWN_LIBRARY, OTHER_LIBRARY };

/* What the file is: no shared library for a 64-bit machine, one of ours, or another. */
enum library_kind library_kind(const char *path);

#endif

/* A file without a name, to share data with another program. */
#ifndef WARPLD_COMPILE_NAMELESS_FILE_H
#define WARPLD_COMPILE_NAMELESS_FILE_H

/* Opens an empty file, of which nothing remains when its last descriptor is closed: in memory, or
 * in the folder where the system refuses that. `label` names a file in memory for tools such as
 * lsof; the folder NULL or "" is /tmp. Returns a descriptor, or -1 with errno. Requires: signals
 * that end this program are blocked. */
int nameless_file_open(const char *label, const char *folder);

#endif

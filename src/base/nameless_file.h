/* A file without a name, for data that is passed to another program or copied to another file. */
#ifndef WARPLD_BASE_NAMELESS_FILE_H
#define WARPLD_BASE_NAMELESS_FILE_H

/* Opens an empty file that is removed when its last descriptor is closed. The file is in memory or,
 * if the system refuses files in memory, in `folder` (NULL or "" stands for /tmp). Tools such as
 * lsof show `label` as the name of a file in memory. Returns a descriptor, or -1 with errno. */
int nameless_file_open(const char *label, const char *folder);

#endif

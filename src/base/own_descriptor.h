/* What a path such as /dev/stdout names.
 *
 * Opening it again gives another position in the file, and O_TRUNC removes what a shell opened to
 * append to, so outputs are written to the descriptor itself. */
#ifndef WARPLD_BASE_OWN_DESCRIPTOR_H
#define WARPLD_BASE_OWN_DESCRIPTOR_H

/* Returns the open descriptor of this process that the path or the symbolic link names, or -1 if it
 * names none that can be written to. */
int own_descriptor(const char *path);

#endif

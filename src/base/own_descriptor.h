/* What a path such as /dev/stdout names.
 *
 * If such a path is opened again, writing starts at another position than that of the open
 * descriptor, and O_TRUNC empties a file that a shell has opened for appending. So outputs are
 * written to the descriptor itself. */
#ifndef WARPLD_BASE_OWN_DESCRIPTOR_H
#define WARPLD_BASE_OWN_DESCRIPTOR_H

/* Returns the open descriptor of this process that the path names, directly or through symbolic
 * links, or -1 if it names none that can be written to. */
int own_descriptor(const char *path);

#endif

/* Finds the open descriptor that a path such as /dev/stdout names.
 *
 * Outputs with such a path are written to the descriptor itself. If the path were opened again,
 * writing would not start at the position of the descriptor. O_TRUNC would also empty a file that a
 * shell has opened for appending. */
#ifndef WARPLD_BASE_OWN_DESCRIPTOR_H
#define WARPLD_BASE_OWN_DESCRIPTOR_H

/* Returns the open descriptor of this process that the path names, directly or through symbolic
 * links. Returns -1 if the path names no descriptor that can be written to. */
int own_descriptor(const char *path);

#endif

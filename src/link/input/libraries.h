/* Libraries of -l. */
#ifndef WARPLD_LINK_INPUT_LIBRARIES_H
#define WARPLD_LINK_INPUT_LIBRARIES_H

#include "link/model/link_context.h"

/* Looks for the library in the folders of -L; called as libraries are added. */
void library_search(link_context *link, const char *name);

#endif

/* Finds the libraries that -l names. */
#ifndef WARPLD_LINK_INPUT_LIBRARIES_H
#define WARPLD_LINK_INPUT_LIBRARIES_H

#include "link/model/link_context.h"

/* Searches the folders of -L for the library; called when it is added. */
void library_search(link_context *link, const char *name);

/* The file that the search looks for. */
const char *library_file_name(link_context *link, const char *name);

#endif

/* Finds the libraries that -l names. */
#ifndef WARPLD_LINK_INPUT_LIBRARIES_H
#define WARPLD_LINK_INPUT_LIBRARIES_H

#include "link/model/link_context.h"

/* Searches the folders of -L for the library. Called when the library is added. */
void library_search(link_context *link, const char *name);

/* Returns the name of the file that library_search looks for. */
const char *library_file_name(link_context *link, const char *name);

#endif

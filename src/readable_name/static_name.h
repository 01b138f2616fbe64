/* Shortens the readable names of static functions and variables. */
#ifndef WARPLD_READABLE_NAME_STATIC_NAME_H
#define WARPLD_READABLE_NAME_STATIC_NAME_H

#include <stdbool.h>

/* Returns false if the text has no name that static_names_shorten would shorten. */
bool static_names_occur(const char *text);

/* Removes the namespaces of static functions and variables from the text. nvcc -rdc makes them,
 * such as "_INTERNAL_4c06d2b6_5_st_cu__Z2kkPi::" for st.cu (nvcc 13.0.88). */
void static_names_shorten(char *text);

#endif

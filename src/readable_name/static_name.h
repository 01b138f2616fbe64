/* Shortens the readable names of static functions and variables. */
#ifndef WARPLD_READABLE_NAME_STATIC_NAME_H
#define WARPLD_READABLE_NAME_STATIC_NAME_H

#include <stdbool.h>

/* Whether the text has a name that static_names_shorten shortens. */
bool static_names_occur(const char *text);

/* Removes the namespaces in which nvcc -rdc puts static functions and variables, such as
 * "_INTERNAL_4c06d2b6_5_st_cu__Z2kkPi::" (of nvcc 13.0.88, for st.cu), from the text. */
void static_names_shorten(char *text);

#endif

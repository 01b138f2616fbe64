/* Inputs that are cut short while they are read. */
#ifndef WARPLD_CLI_CHANGED_INPUT_H
#define WARPLD_CLI_CHANGED_INPUT_H

/* From now on a mapped file that has become shorter ends the program with a message and status 1, not
 * with the signal SIGBUS. Outputs are not complete then, so an older one remains. `tool` begins the
 * message. */
void changed_input_end(const char *tool);

#endif

build-san/obj/src/cli/time_file.o: src/cli/time_file.c \
 src/cli/time_file.h include/warpld.h
src/cli/time_file.h:
include/warpld.h:

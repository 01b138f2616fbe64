build-san/obj/src/cli/saved_archive.o: src/cli/saved_archive.c \
 src/cli/saved_archive.h include/warpld.h
src/cli/saved_archive.h:
include/warpld.h:

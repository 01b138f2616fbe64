build-san/obj/src/cli/register_file.o: src/cli/register_file.c \
 src/cli/register_file.h src/base/arena.h include/warpld.h \
 src/base/file.h src/base/bytes.h
src/cli/register_file.h:
src/base/arena.h:
include/warpld.h:
src/base/file.h:
src/base/bytes.h:

build-san/obj/src/cli/options_file.o: src/cli/options_file.c \
 src/cli/options_file.h src/base/arena.h src/base/bytes.h src/base/file.h
src/cli/options_file.h:
src/base/arena.h:
src/base/bytes.h:
src/base/file.h:

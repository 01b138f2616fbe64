build-san/obj/src/cli/saved_arguments.o: src/cli/saved_arguments.c \
 src/cli/saved_arguments.h src/cli/options.h src/base/arena.h \
 src/cli/options_file.h src/base/bytes.h src/cli/options.def
src/cli/saved_arguments.h:
src/cli/options.h:
src/base/arena.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:

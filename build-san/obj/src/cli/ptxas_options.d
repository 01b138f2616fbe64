build-san/obj/src/cli/ptxas_options.o: src/cli/ptxas_options.c \
 src/cli/ptxas_options.h src/base/arena.h src/cli/options.h \
 src/cli/options_file.h src/base/bytes.h src/cli/options.def \
 src/cli/ptxas_options.def
src/cli/ptxas_options.h:
src/base/arena.h:
src/cli/options.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:
src/cli/ptxas_options.def:

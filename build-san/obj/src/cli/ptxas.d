build-san/obj/src/cli/ptxas.o: src/cli/ptxas.c src/cli/ptxas.h \
 src/base/arena.h src/cli/options.h src/cli/options_file.h \
 src/base/bytes.h src/cli/options.def include/warpld.h src/base/file.h \
 src/cli/process.h src/cli/ptxas_options.h
src/cli/ptxas.h:
src/base/arena.h:
src/cli/options.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:
include/warpld.h:
src/base/file.h:
src/cli/process.h:
src/cli/ptxas_options.h:

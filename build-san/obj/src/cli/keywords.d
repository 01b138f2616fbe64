build-san/obj/src/cli/keywords.o: src/cli/keywords.c src/cli/keywords.h \
 src/cli/options.h src/base/arena.h src/cli/options_file.h \
 src/base/bytes.h src/cli/options.def include/warpld.h
src/cli/keywords.h:
src/cli/options.h:
src/base/arena.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:
include/warpld.h:

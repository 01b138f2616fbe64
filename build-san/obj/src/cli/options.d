build-san/obj/src/cli/options.o: src/cli/options.c src/cli/options.h \
 src/base/arena.h src/cli/options_file.h src/base/bytes.h \
 src/cli/options.def src/cli/keywords.h
src/cli/options.h:
src/base/arena.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:
src/cli/keywords.h:

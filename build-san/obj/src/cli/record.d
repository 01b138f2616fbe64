build-san/obj/src/cli/record.o: src/cli/record.c src/cli/record.h \
 src/cli/options.h src/base/arena.h src/cli/options_file.h \
 src/base/bytes.h src/cli/options.def
src/cli/record.h:
src/cli/options.h:
src/base/arena.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:

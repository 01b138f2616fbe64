build-san/obj/src/cli/save_inputs.o: src/cli/save_inputs.c \
 src/cli/save_inputs.h src/cli/options.h src/base/arena.h \
 src/cli/options_file.h src/base/bytes.h src/cli/options.def \
 include/warpld.h src/base/file.h src/cli/saved_archive.h \
 src/cli/saved_arguments.h
src/cli/save_inputs.h:
src/cli/options.h:
src/base/arena.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:
include/warpld.h:
src/base/file.h:
src/cli/saved_archive.h:
src/cli/saved_arguments.h:

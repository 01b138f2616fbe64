build-san/obj/src/cli/host_script.o: src/cli/host_script.c \
 src/cli/host_script.h src/cli/options.h src/base/arena.h \
 src/cli/options_file.h src/base/bytes.h src/cli/options.def \
 src/base/file.h src/cli/process.h
src/cli/host_script.h:
src/cli/options.h:
src/base/arena.h:
src/cli/options_file.h:
src/base/bytes.h:
src/cli/options.def:
src/base/file.h:
src/cli/process.h:

build-san/obj/src/cli/readable_name.o: src/cli/readable_name.c \
 src/cli/readable_name.h src/base/arena.h src/base/demangle.h \
 src/cli/spelling.h
src/cli/readable_name.h:
src/base/arena.h:
src/base/demangle.h:
src/cli/spelling.h:

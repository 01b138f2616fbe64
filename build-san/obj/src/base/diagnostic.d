build-san/obj/src/base/diagnostic.o: src/base/diagnostic.c \
 src/base/diagnostic.h src/base/arena.h src/base/diagnostics.def \
 src/base/demangle.h
src/base/diagnostic.h:
src/base/arena.h:
src/base/diagnostics.def:
src/base/demangle.h:

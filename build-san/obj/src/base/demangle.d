build-san/obj/src/base/demangle.o: src/base/demangle.c \
 src/base/demangle.h src/base/arena.h
src/base/demangle.h:
src/base/arena.h:

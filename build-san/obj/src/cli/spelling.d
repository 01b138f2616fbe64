build-san/obj/src/cli/spelling.o: src/cli/spelling.c src/cli/spelling.h \
 src/base/arena.h
src/cli/spelling.h:
src/base/arena.h:

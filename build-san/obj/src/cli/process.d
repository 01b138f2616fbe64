build-san/obj/src/cli/process.o: src/cli/process.c src/cli/process.h \
 src/base/arena.h
src/cli/process.h:
src/base/arena.h:

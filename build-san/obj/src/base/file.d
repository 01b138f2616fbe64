build-san/obj/src/base/file.o: src/base/file.c src/base/file.h \
 src/base/arena.h src/base/bytes.h
src/base/file.h:
src/base/arena.h:
src/base/bytes.h:

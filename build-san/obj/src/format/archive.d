build-san/obj/src/format/archive.o: src/format/archive.c \
 src/format/archive.h src/base/bytes.h
src/format/archive.h:
src/base/bytes.h:

build-san/obj/src/format/fatbin.o: src/format/fatbin.c \
 src/format/fatbin.h src/base/bytes.h
src/format/fatbin.h:
src/base/bytes.h:

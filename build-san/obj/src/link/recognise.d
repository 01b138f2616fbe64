build-san/obj/src/link/recognise.o: src/link/recognise.c \
 src/link/recognise.h src/base/bytes.h
src/link/recognise.h:
src/base/bytes.h:

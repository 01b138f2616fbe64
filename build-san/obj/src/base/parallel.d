build-san/obj/src/base/parallel.o: src/base/parallel.c \
 src/base/parallel.h
src/base/parallel.h:

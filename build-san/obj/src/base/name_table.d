build-san/obj/src/base/name_table.o: src/base/name_table.c \
 src/base/name_table.h src/base/arena.h
src/base/name_table.h:
src/base/arena.h:

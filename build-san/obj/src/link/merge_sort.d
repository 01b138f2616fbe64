build-san/obj/src/link/merge_sort.o: src/link/merge_sort.c \
 src/link/merge_sort.h src/base/arena.h
src/link/merge_sort.h:
src/base/arena.h:

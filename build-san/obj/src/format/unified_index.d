build-san/obj/src/format/unified_index.o: src/format/unified_index.c \
 src/format/unified_index.h src/base/bytes.h
src/format/unified_index.h:
src/base/bytes.h:

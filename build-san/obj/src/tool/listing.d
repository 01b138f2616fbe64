build-san/obj/src/tool/listing.o: src/tool/listing.c src/tool/listing.h \
 src/base/arena.h src/base/bytes.h
src/tool/listing.h:
src/base/arena.h:
src/base/bytes.h:

build-san/obj/src/format/note.o: src/format/note.c src/format/note.h \
 src/base/bytes.h src/format/elf.h
src/format/note.h:
src/base/bytes.h:
src/format/elf.h:

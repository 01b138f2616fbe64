build-san/obj/src/format/host_object.o: src/format/host_object.c \
 src/format/host_object.h src/base/bytes.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def
src/format/host_object.h:
src/base/bytes.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:

build-san/obj/src/format/section_type.o: src/format/section_type.c \
 src/format/section_type.h src/format/section_type.def
src/format/section_type.h:
src/format/section_type.def:

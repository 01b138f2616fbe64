build-san/obj/src/format/relocation.o: src/format/relocation.c \
 src/format/relocation.h src/format/relocation_native.def \
 src/format/relocation_mercury.def
src/format/relocation.h:
src/format/relocation_native.def:
src/format/relocation_mercury.def:

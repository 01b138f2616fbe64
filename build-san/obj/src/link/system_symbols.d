build-san/obj/src/link/system_symbols.o: src/link/system_symbols.c \
 src/link/system_symbols.h src/link/system_functions.def
src/link/system_symbols.h:
src/link/system_functions.def:

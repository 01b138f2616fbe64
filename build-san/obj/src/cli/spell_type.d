build-san/obj/src/cli/spell_type.o: src/cli/spell_type.c \
 src/cli/spelling.h src/base/arena.h
src/cli/spelling.h:
src/base/arena.h:

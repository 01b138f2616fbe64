build-san/obj/src/cli/spell_name.o: src/cli/spell_name.c \
 src/cli/spelling.h src/base/arena.h
src/cli/spelling.h:
src/base/arena.h:

build-san/obj/src/cli/messages.o: src/cli/messages.c src/cli/messages.h \
 include/warpld.h
src/cli/messages.h:
include/warpld.h:

build-san/obj/src/tool/cubintool.o: src/tool/cubintool.c \
 src/tool/options.h include/warpld.h
src/tool/options.h:
include/warpld.h:

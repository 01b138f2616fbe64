# Installation and packages; part of the Makefile.

# The folders of the GNU conventions.
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
DOCDIR     ?= $(DATADIR)/doc/warpld
STRIP      ?= strip

# The header is where the version is written.
version := $(shell sed -n 's/.*WARPLD_VERSION  *"\(.*\)"/\1/p' include/warpld.h)
version_major := $(firstword $(subst ., ,$(version)))

# From the folder of the CMake files.
relative = $$(realpath -m --relative-to=$(LIBDIR)/cmake/warpld $(1))
install_files = ./packaging/install-files.sh $(1) DESTDIR=$(DESTDIR) STRIP=$(STRIP) \
    BUILD=$(BUILD) VERSION=$(version) VERSION_MAJOR=$(version_major) SONAME=$(soname) \
    $(foreach name,PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR,$(name)=$($(name))) \
    RELATIVE_BINDIR=$(call relative,$(BINDIR)) RELATIVE_INCLUDEDIR=$(call relative,$(INCLUDEDIR))

## install: what packaging/installed-files lists (DESTDIR= PREFIX= BINDIR= LIBDIR= MANDIR= ...)
.PHONY: install
install: all
	@$(call install_files,install)

## install-strip: the same without what only debuggers need
.PHONY: install-strip
install-strip: all
	@$(call install_files,install-strip)

## uninstall: remove what install puts there, with the same variables
.PHONY: uninstall
uninstall:
	@$(call install_files,uninstall)

# ------------------------------------------------------------------------------------------------
# Packages

## wheel: a package for Python, with the programs and libraries, in build/wheel
portable_files := $(addprefix $(portable)/,warpld warpld-ptx-helper cubintool libwarpld.so \
    $(nvjitlink_majors:%=libnvJitLink.so.%))
.PHONY: wheel
wheel: $(portable_files)
	@$(PYTHON) tools/make-wheel.py --strip=$(STRIP) $(portable) $(BUILD)/wheel

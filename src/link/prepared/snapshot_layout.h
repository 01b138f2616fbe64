/* Where the numbers of a snapshot of a prepared input are. */
#ifndef WARPLD_LINK_PREPARED_SNAPSHOT_LAYOUT_H
#define WARPLD_LINK_PREPARED_SNAPSHOT_LAYOUT_H

#define SNAPSHOT_MAGIC "WARPLDP1"

enum {
    SNAPSHOT_HEAD_MAGIC = 0,
    SNAPSHOT_HEAD_UNITS = 8,         /* number */
    SNAPSHOT_HEAD_HOSTS = 12,        /* number */
    SNAPSHOT_HEAD_HOST_OBJECTS = 16, /* number; see struct opened_file */
    SNAPSHOT_HEAD_FLAGS = 20,        /* SNAPSHOT_FLAG_* */
    SNAPSHOT_HEAD_TEXTS = 24,        /* offset in the snapshot, and size */
    SNAPSHOT_HEAD_TEXTS_SIZE = 32,
    SNAPSHOT_HEAD_SIZE = 40,
};
enum { SNAPSHOT_FLAG_SILENT = 1, SNAPSHOT_FLAG_SILENT_HOST = 2 };

/* The units follow the head. */
enum {
    SNAPSHOT_UNIT_OFFSET = 0, /* of its contents in the input, and their size */
    SNAPSHOT_UNIT_CONTENTS = 8,
    SNAPSHOT_UNIT_IMAGE = 16, /* offset in the snapshot, and size */
    SNAPSHOT_UNIT_IMAGE_SIZE = 24,
    SNAPSHOT_UNIT_NAME = 32, /* in the texts: offset and size */
    SNAPSHOT_UNIT_NAME_SIZE = 36,
    SNAPSHOT_UNIT_HOST = 40, /* index + 1, or 0 */
    SNAPSHOT_UNIT_HOSTS_BEFORE = 44,
    SNAPSHOT_UNIT_VIRTUAL_SM = 48, /* 16 bits */
    SNAPSHOT_UNIT_TOOLKIT = 50,    /* 16 bits */
    SNAPSHOT_UNIT_KIND = 52,       /* 8 bits */
    SNAPSHOT_UNIT_MEMBER = 53,     /* 8 bits */
    SNAPSHOT_UNIT_ENTRY_SIZE = 56,
};

/* The host objects follow the units. */
enum {
    SNAPSHOT_HOST_MACHINE = 0,
    SNAPSHOT_HOST_FLAGS =
        4, /* a bit for each kind of reference that it lists, then has_device_code */
    SNAPSHOT_HOST_CODE = 8,        /* offset in the input, and size: relocatable code */
    SNAPSHOT_HOST_LINKED = 24,     /* the same: linked code */
    SNAPSHOT_HOST_IDS = 40,        /* in the texts: offset and size */
    SNAPSHOT_HOST_REFERENCES = 48, /* the same for each kind */
    SNAPSHOT_HOST_ENTRY_SIZE = 96,
};

#endif

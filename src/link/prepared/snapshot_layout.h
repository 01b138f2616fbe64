/* The offsets of the fields in the head and the entries of a snapshot, see prepared_snapshot.h. */
#ifndef WARPLD_LINK_PREPARED_SNAPSHOT_LAYOUT_H
#define WARPLD_LINK_PREPARED_SNAPSHOT_LAYOUT_H

#define SNAPSHOT_MAGIC "WARPLDP2"

enum {
    SNAPSHOT_HEAD_MAGIC = 0,
    SNAPSHOT_HEAD_UNITS = 8,         /* number of units */
    SNAPSHOT_HEAD_HOSTS = 12,        /* number of host objects that have entries */
    SNAPSHOT_HEAD_HOST_OBJECTS = 16, /* host_object_count of struct opened_file */
    SNAPSHOT_HEAD_FLAGS = 20,        /* SNAPSHOT_FLAG_* */
    SNAPSHOT_HEAD_TEXTS = 24,        /* offset of the texts in the snapshot */
    SNAPSHOT_HEAD_TEXTS_SIZE = 32,   /* size of the texts */
    SNAPSHOT_HEAD_CODE = 40,         /* offset of the first code */
    SNAPSHOT_HEAD_SIZE = 48,
};
enum { SNAPSHOT_FLAG_SILENT = 1, SNAPSHOT_FLAG_SILENT_HOST = 2 };

/* The entry of a unit. The entries of the units follow the head. */
enum {
    SNAPSHOT_UNIT_OFFSET = 0,   /* offset of the contents in the input */
    SNAPSHOT_UNIT_CONTENTS = 8, /* size of the contents */
    SNAPSHOT_UNIT_FACTS = 16,   /* facts about the image: offset in the snapshot, and size */
    SNAPSHOT_UNIT_CODE = 32,    /* code of the image: offset in the snapshot, and size */
    SNAPSHOT_UNIT_NAME = 48,    /* name: offset in the texts, and size */
    SNAPSHOT_UNIT_HOST = 56,    /* index + 1 of the host object; 0: none */
    SNAPSHOT_UNIT_HOSTS_BEFORE = 60,
    SNAPSHOT_UNIT_VIRTUAL_SM = 64, /* 16 bits */
    SNAPSHOT_UNIT_TOOLKIT = 66,    /* 16 bits */
    SNAPSHOT_UNIT_KIND = 68,       /* 8 bits */
    SNAPSHOT_UNIT_MEMBER = 69,     /* 8 bits */
    SNAPSHOT_UNIT_ENTRY_SIZE = 72,
};

/* The entry of a host object. The entries of the host objects follow those of the units. */
enum {
    SNAPSHOT_HOST_MACHINE = 0,
    SNAPSHOT_HOST_FLAGS = 4,       /* bits: has_references of each kind, then has_device_code */
    SNAPSHOT_HOST_CODE = 8,        /* relocatable code: offset in the input, and size */
    SNAPSHOT_HOST_LINKED = 24,     /* linked code: offset in the input, and size */
    SNAPSHOT_HOST_IDS = 40,        /* module ids: offset in the texts, and size */
    SNAPSHOT_HOST_REFERENCES = 48, /* references of each kind: offset in the texts, and size */
    SNAPSHOT_HOST_ENTRY_SIZE = 96,
};

#endif

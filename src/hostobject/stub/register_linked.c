/* The source of the code in a host object. tools/make-host-stub.py compiles it for each host and
 * writes the result to src/hostobject/stub_code.c. The build of warpld does not compile this file.
 *
 * Each object of a program with relocatable device code has a constructor that calls the function
 * __cudaRegisterLinkedBinary_ID, where ID is the object's module id. The host object defines one
 * such function for each object that was linked. The last of these functions to be called registers
 * the linked code with the CUDA runtime, and then the kernels and variables of all objects, in the
 * order of the calls. The runtime's interface was found by linking such objects with a replacement
 * of the runtime that records the calls it gets.
 *
 * The host object has one copy of `register_module` for each module. In each copy, the names that
 * begin with `module_` and the name `__fatbinwrap_MODULE` are replaced by those of the module. */

/* The contents of the section .nvFatBinSegment, and of the variable __fatbinwrap_MODULE of each
 * object. */
struct fat_binary {
    int magic;
    int version;
    const void *data;
    const void *const *modules; /* only for linked code: registered_data, which is declared below */
};

typedef void register_function(void **handle);
typedef void take_id_function(void *id);

#define OURS __attribute__((visibility("hidden")))

/* Functions of the CUDA runtime and of the C library. */
extern void **__cudaRegisterFatBinary(const struct fat_binary *);
extern void __cudaRegisterFatBinaryEnd(void **handle);
extern void __cudaUnregisterFatBinary(void **handle);
extern int atexit(void (*)(void));

/* Data that the host object has once. */
extern OURS const struct fat_binary linked_code;
extern OURS const unsigned module_count;
extern OURS unsigned registered_count;
extern OURS const void *registered_data[];             /* one for each module, then NULL */
extern OURS register_function *registered_callbacks[]; /* one for each module */
extern OURS void **linked_handle;

/* Data that the host object has for each module. */
extern OURS const char module_id[];
extern OURS const char *module_id_holder;
extern const struct fat_binary __fatbinwrap_MODULE;

OURS void unregister_linked(void)
{
    __cudaUnregisterFatBinary(linked_handle);
}

OURS void register_data(const struct fat_binary *module, register_function *callback)
{
    registered_data[registered_count] = module->data;
    registered_callbacks[registered_count] = callback;
    if (++registered_count != module_count)
        return;
    registered_data[module_count] = 0;
    linked_handle = __cudaRegisterFatBinary(&linked_code);
    atexit(unregister_linked);
    for (unsigned i = 0; i < module_count; i++)
        registered_callbacks[i](linked_handle);
    __cudaRegisterFatBinaryEnd(linked_handle);
}

/* Becomes __cudaRegisterLinkedBinary_ID. The caller passes `take_id`, which gets the address of a
 * pointer to the module's id. The arguments `second` and `third` are not used. */
OURS void register_module(register_function *callback, void *second, void *third,
                          take_id_function *take_id)
{
    (void)second;
    (void)third;
    module_id_holder = module_id;
    take_id(&module_id_holder);
    register_data(&__fatbinwrap_MODULE, callback);
}
